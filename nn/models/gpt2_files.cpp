#include "nn/models/gpt2_files.h"

#include <array>
#include <memory>
#include <utility>

#include "tensor/files/atomic_file.h"
#include "tensor/files/json.h"

#include "nn/init.h"
#include "nn/weights.h"

namespace vitro::nn {
namespace {

using Renaming = std::pair<const char*, const char*>;

// Vitro's words and GPT-2's.
constexpr std::array<Renaming, 4> kOutsideBlocks{{
    {"tokens.weight", "wte.weight"},
    {"positions.weight", "wpe.weight"},
    {"norm.weight", "ln_f.weight"},
    {"norm.bias", "ln_f.bias"},
}};

constexpr std::array<Renaming, 12> kInBlock{{
    {"norm_1.weight", "ln_1.weight"},
    {"norm_1.bias", "ln_1.bias"},
    {"attention.w_qkv", "attn.c_attn.weight"},
    {"attention.b_qkv", "attn.c_attn.bias"},
    {"attention.w_o", "attn.c_proj.weight"},
    {"attention.b_o", "attn.c_proj.bias"},
    {"norm_2.weight", "ln_2.weight"},
    {"norm_2.bias", "ln_2.bias"},
    {"feed_forward.expand.weight", "mlp.c_fc.weight"},
    {"feed_forward.expand.bias", "mlp.c_fc.bias"},
    {"feed_forward.contract.weight", "mlp.c_proj.weight"},
    {"feed_forward.contract.bias", "mlp.c_proj.bias"},
}};

template <std::size_t kCount>
const char* renamed(const std::array<Renaming, kCount>& renamings, const std::string& name) {
  for (const auto& [ours, theirs] : renamings) {
    if (name == ours) return theirs;
  }
  return nullptr;
}

// The mask that PyTorch's GPT-2 keeps beside its weights, and the tied head under its second name.
bool is_no_weight(const std::string& name) {
  return name.ends_with(".attn.bias") || name.ends_with(".attn.masked_bias") ||
         name == "lm_head.weight";
}

Index positive_integer(const JsonValue& config, const char* key, const std::string& path) {
  const Index value = config[key].integer();
  if (value < 1) {
    throw_invalid({"read_gpt2_config: ", path, ": ", key, " is ", value, "; it must be 1 or more"});
  }
  return value;
}

Activation activation_of(const JsonValue& config, const std::string& path) {
  if (!config.contains("activation_function")) return Activation::kGeluTanh;
  const std::string& name = config["activation_function"].string();
  if (name == "gelu_new" || name == "gelu_pytorch_tanh") return Activation::kGeluTanh;
  if (name == "gelu") return Activation::kGeluErf;
  if (name == "relu") return Activation::kRelu;
  throw_invalid({"read_gpt2_config: ", path, ": activation_function '", name,
                 "'; it must be gelu_new, gelu_pytorch_tanh, gelu or relu"});
}

// Fields that change what is computed must have the value with which Gpt computes it.
void check_computes_the_same(const JsonValue& config, const std::string& path) {
  constexpr std::array<std::pair<const char*, bool>, 4> kSwitches{{
      {"tie_word_embeddings", true},
      {"scale_attn_weights", true},
      {"scale_attn_by_inverse_layer_idx", false},
      {"add_cross_attention", false},
  }};
  for (const auto& [name, expected] : kSwitches) {
    const JsonValue* value = config.find(name);
    if (value != nullptr && value->boolean() != expected) {
      throw_invalid({"read_gpt2_config: ", path, ": ", name, " is ", expected ? "false" : "true",
                     "; only ", expected ? "true" : "false", " can be read"});
    }
  }
  const JsonValue* type = config.find("model_type");
  if (type != nullptr && type->string() != "gpt2") {
    throw_invalid(
        {"read_gpt2_config: ", path, ": model_type is '", type->string(), "'; it must be gpt2"});
  }
}

void check_hidden(const JsonValue& config, Index channels, const std::string& path) {
  const JsonValue* hidden = config.find("n_inner");
  if (hidden == nullptr || hidden->is_null()) return;
  const Index value = hidden->integer();
  if (value % 4 != 0 || value / 4 != channels) {
    throw_invalid({"read_gpt2_config: ", path, ": n_inner is ", value,
                   "; it must be four times n_embd (", channels, ")"});
  }
}

GptOptions options_of(const JsonValue& config, const std::string& path) {
  check_computes_the_same(config, path);
  GptOptions options;
  options.vocab_size = positive_integer(config, "vocab_size", path);
  const char* positions = config.contains("n_positions") ? "n_positions" : "n_ctx";
  options.block_size = positive_integer(config, positions, path);
  options.layer_count = positive_integer(config, "n_layer", path);
  options.head_count = positive_integer(config, "n_head", path);
  options.channels = positive_integer(config, "n_embd", path);
  check_hidden(config, options.channels, path);
  options.activation = activation_of(config, path);
  options.head = Head::kTied;
  if (config.contains("layer_norm_epsilon")) {
    options.norm_epsilon = static_cast<Scalar>(config["layer_norm_epsilon"].number());
  }
  return options;
}

void check_is_gpt2(const GptOptions& options, const char* function) {
  const bool fits =
      options.norm == NormKind::kLayer && options.norm_place == NormPlace::kPre &&
      options.positions == PositionKind::kLearned && options.bias == Bias::kYes &&
      options.head == Head::kTied && options.activation != Activation::kSilu &&
      (options.key_value_head_count == 0 || options.key_value_head_count == options.head_count);
  if (!fits) {
    throw_invalid({function,
                   ": the model is no GPT-2: it must have layer norms before each part, "
                   "learned positions, biases, a tied head, keys and values for each head and no "
                   "SiLU"});
  }
}

std::string config_text(const GptOptions& options) {
  const char* activation = options.activation == Activation::kGeluTanh  ? "gelu_new"
                           : options.activation == Activation::kGeluErf ? "gelu"
                                                                        : "relu";
  return join_text(
      {"{\n  \"model_type\": \"gpt2\",\n  \"architectures\": [\"GPT2LMHeadModel\"],",
       "\n  \"n_layer\": ", options.layer_count, ",\n  \"n_head\": ", options.head_count,
       ",\n  \"n_embd\": ", options.channels, ",\n  \"vocab_size\": ", options.vocab_size,
       ",\n  \"n_positions\": ", options.block_size, ",\n  \"n_ctx\": ", options.block_size,
       ",\n  \"layer_norm_epsilon\": ", options.norm_epsilon, ",\n  \"activation_function\": \"",
       activation, "\"\n}\n"});
}

// A few bytes of config.json may describe any model: asked before one takes its memory. The exact
// comparison, tensor by tensor, needs the model.
void check_size_of(const SafetensorsFile& file, const GptOptions& options) {
  double file_count = 0;
  for (const SafetensorsEntry& entry : file.entries()) {
    file_count += static_cast<double>(entry.shape.element_count());
  }
  const auto channels = static_cast<double>(options.channels);
  const auto rows =
      static_cast<double>(options.vocab_size) + static_cast<double>(options.block_size);
  const double model_count =
      channels * (rows + 12 * static_cast<double>(options.layer_count) * channels);
  if (model_count > 2 * file_count + 1e6) {
    throw_invalid({"load_gpt2: config.json describes a model of ", model_count, " parameters, but ",
                   file.path(), " holds ", file_count, " numbers; they must belong together"});
  }
}

void fill(const Gpt& model, const SafetensorsFile& file) {
  const std::string prefix = file.contains("transformer.wte.weight") ? "transformer." : "";
  const FileNames names{[&prefix](const std::string& name) { return prefix + gpt2_name(name); },
                        is_no_weight};
  load_weights(file, model, names);
}

}  // namespace

GptOptions read_gpt2_config(const std::string& path) {
  const JsonValue config = read_json(path);
  try {
    return options_of(config, path);
  } catch (const JsonError& error) {
    throw FileError(FileErrorKind::InvalidJson, "read_gpt2_config", path, error.byte(),
                    {error.problem()});
  }
}

std::string gpt2_name(const std::string& name) {
  if (const char* outside = renamed(kOutsideBlocks, name)) return outside;
  const std::string prefix = "block_";
  const std::size_t dot = name.find('.');
  if (name.starts_with(prefix) && dot != std::string::npos) {
    const std::string number = name.substr(prefix.size(), dot - prefix.size());
    const bool is_number =
        !number.empty() && number.find_first_not_of("0123456789") == std::string::npos;
    const char* const inside = renamed(kInBlock, name.substr(dot + 1));
    if (is_number && inside != nullptr) {
      return "h." + number + "." + inside;
    }
  }
  throw_invalid({"gpt2_name: a GPT-2 has no parameter like '", name,
                 "'; its own are tokens, positions, blocks and norm"});
}

std::unique_ptr<Gpt> load_gpt2(const std::string& folder) {
  const GptOptions options = read_gpt2_config(folder + "/config.json");
  const SafetensorsFile file = SafetensorsFile::open(folder + "/model.safetensors");
  check_size_of(file, options);
  Rng rng(1);
  const NoInitialDraws no_draws;
  auto model = std::make_unique<Gpt>(options, rng);
  fill(*model, file);
  return model;
}

void load_gpt2_weights(const std::string& path, Gpt& model) {
  check_is_gpt2(model.options(), "load_gpt2_weights");
  fill(model, SafetensorsFile::open(path));
}

void save_gpt2(const std::string& folder, const Gpt& model) {
  check_is_gpt2(model.options(), "save_gpt2");
  std::vector<NamedValues> tensors;
  for (const auto& [name, variable] : model.named_parameters()) {
    tensors.push_back({gpt2_name(name), variable.value()});
  }
  const std::string text = config_text(model.options());
  AtomicFile config("save_gpt2", folder + "/config.json");
  config.write(text.data(), static_cast<Index>(text.size()));
  write_safetensors(folder + "/model.safetensors", tensors, {{"format", "pt"}}, Dtype::F32);
  config.commit();  // it can be made: known before the weights were replaced
}

}  // namespace vitro::nn
