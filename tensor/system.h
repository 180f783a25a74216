// What differs between operating systems, in one place.
#pragma once

#include <cstdio>
#include <string>

#include "tensor/scalar.h"

namespace vitro {

/// The number of this process.
Index process_id();

enum class OutputStream { kOut, kError };

/// Whether the program's stdout or stderr goes to a terminal, before a person's eyes.
bool is_terminal(OutputStream stream);

/// Where the program was started with stdin, stdout or stderr closed, takes their numbers, so that
/// no file that is opened later gets one and is written to by mistake. They stay unusable.
void keep_standard_streams();

/// Hands what was written to `file` to the disk itself, not only to the system's memory.
/// False where the system refuses; errno says why.
bool flush_to_disk(std::FILE* file);

/// Makes a new name in `folder` last through a power cut, where the system knows such a thing.
void flush_folder_to_disk(const std::string& folder);

/// Says that a block of memory is used whole: the system may map it in pages of megabytes, so that
/// 500 MB take 250 page faults and not 120,000. Nothing happens where the system knows no such
/// thing.
void prefer_large_pages(void* start, Index byte_count);

}  // namespace vitro
