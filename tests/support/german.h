// A locale with a decimal comma and points between thousands, as de_DE has them.
#pragma once

#include <clocale>
#include <locale>
#include <memory>
#include <string>

namespace vitro::test {

class GermanNumbers : public std::numpunct<char> {
  char do_decimal_point() const override { return ','; }

  char do_thousands_sep() const override { return '.'; }

  std::string do_grouping() const override { return "\3"; }
};

/// Makes German numbers C++'s global locale while it lives, and C's where the system has de_DE.
class GermanLocale {
 public:
  // The locale counts the users of its facet and deletes it.
  GermanLocale()
      : before_(std::locale::global(
            std::locale(std::locale::classic(), std::make_unique<GermanNumbers>().release()))) {
    for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "de_DE"}) {
      is_c_german_ = is_c_german_ || std::setlocale(LC_ALL, name) != nullptr;
    }
  }

  GermanLocale(const GermanLocale&) = delete;
  GermanLocale& operator=(const GermanLocale&) = delete;

  ~GermanLocale() {
    std::locale::global(before_);
    std::setlocale(LC_ALL, "C");
  }

  /// Whether printf and strtod speak German, too.
  bool is_c_german() const { return is_c_german_; }

 private:
  std::locale before_;
  bool is_c_german_ = false;
};

}  // namespace vitro::test
