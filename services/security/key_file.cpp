// Reads line by line, complains of all at once, and never repeats what might be a key.
#include "services/security/key_file.hpp"

#include <string.h>  // NOLINT(modernize-deprecated-headers): explicit_bzero
#include <zmq.h>
#include <kinloop/client/keys.hpp>

#include <algorithm>
#include <map>
#include <span>

#include "core/base/nearest_name.hpp"
#include "core/base/require.hpp"
#include "services/security/guarded_file.hpp"

namespace kinloop::security {
namespace {

using Errors = std::vector<Error>;

constexpr std::string_view kServer = "server";
constexpr std::size_t kMaxErrors = 20;
constexpr std::array<std::string_view, 3> kPublicFields{"name", "role", "public_key"};
constexpr std::array<std::string_view, 3> kPairFields{"name", "public_key", "secret_key"};

/// The lines of one file by their fields.
class Fields {
 public:
  Fields(std::string_view text, const std::string& file_name, std::span<const std::string_view> known)
      : file_name_(file_name) {
    for (const client::KeyLine& line : client::key_lines(text)) {
      if (errors_.size() >= kMaxErrors) break;
      take(line, known);
    }
    for (const std::string_view field : known) {
      if (!entries_.contains(field)) errors_.push_back({file_name_ + ": " + std::string(field), "is missing"});
    }
  }

  /// Empty where it is missing.
  std::string_view operator[](std::string_view field) const {
    const auto entry = entries_.find(field);
    return entry == entries_.end() ? std::string_view{} : entry->second.value;
  }

  std::size_t line_of(std::string_view field) const {
    const auto entry = entries_.find(field);
    return entry == entries_.end() ? 0 : entry->second.line;
  }

  /// Says nothing of a field that is missing: that was said.
  void complain(std::string_view field, std::string what) {
    const auto entry = entries_.find(field);
    if (entry != entries_.end()) errors_.push_back({place(entry->second.line, field), std::move(what)});
  }
  const Errors& errors() const noexcept { return errors_; }

 private:
  struct Entry {
    std::string_view value;
    std::size_t line = 0;
  };

  std::string place(std::size_t line, std::string_view field) const {
    const std::string start = file_name_ + ":" + std::to_string(line);
    return field.empty() ? start : start + ": " + std::string(field);
  }

  void take(const client::KeyLine& line, std::span<const std::string_view> known) {
    if (std::find(known.begin(), known.end(), line.field) == known.end()) {
      // What stands there is not shown: it could be a key on a line of its own.
      errors_.push_back({place(line.number, ""), "is no line \"field: value\" with a field of " + quoted_list(known)});
      return;
    }
    const bool is_new = entries_.try_emplace(line.field, Entry{line.value, line.number}).second;
    if (!is_new) errors_.push_back({place(line.number, line.field), "stands here a second time"});
  }

  std::string file_name_;
  std::map<std::string_view, Entry> entries_;
  Errors errors_;
};

void check_name(Fields& fields) {
  if (is_key_name(fields["name"])) return;
  fields.complain("name", "wants 1 to 64 letters, digits, '_', '.' or '-', the first a letter or a digit");
}

void check_key(std::string_view field, Fields& fields) {
  if (client::is_key(fields[field])) return;
  fields.complain(field, "is no key: " + std::to_string(kKeyLength) + " characters of Z85 are wanted, here are " +
                             std::to_string(fields[field].size()) +
                             (fields[field].size() == kKeyLength ? ", not all of Z85" : ""));
}

/// Shows what stands there only if it is too short for a key.
std::string no_such_role(std::string_view role) {
  constexpr std::array<std::string_view, 4> kRoles{"observer", "operator", "admin", kServer};
  constexpr std::size_t kMaxShown = 16;
  const std::string shown =
      role.size() <= kMaxShown ? " " + in_quotes(role) + did_you_mean(role, kRoles) : " like this";
  return "there is no role" + shown + " (roles: " + quoted_list(kRoles) + ")";
}

/// Of a key pair whose two keys are good for themselves.
bool belong_together(const KeyPair& pair) {
  std::array<char, kKeyLength + 1> derived{};
  return zmq_curve_public(derived.data(), pair.secret_key.z85()) == 0 && pair.public_key == derived.data();
}

}  // namespace

SecretKey::SecretKey(std::string_view z85) noexcept {
  require(z85.size() == kKeyLength, "a key has 40 characters");
  std::copy(z85.begin(), z85.end(), text_.begin());
}

SecretKey::~SecretKey() { ::explicit_bzero(text_.data(), text_.size()); }

std::string shortened(std::string_view public_key) {
  constexpr std::size_t kShown = 8;
  return std::string(public_key.substr(0, kShown)) + "...";
}

Result<PublicKey, Errors> parse_public_key(std::string_view text, const std::string& file_name) {
  Fields fields(text, file_name, kPublicFields);
  check_name(fields);
  check_key("public_key", fields);
  const std::string_view role = fields["role"];
  if (role != kServer && !find_role(role)) fields.complain("role", no_such_role(role));
  if (!fields.errors().empty()) return fields.errors();
  return PublicKey{std::string(fields["name"]), find_role(role),        std::string(fields["public_key"]),
                   fields.line_of("name"),      fields.line_of("role"), fields.line_of("public_key")};
}

Result<KeyPair, Errors> parse_key_pair(std::string_view text, const std::string& file_name) {
  Fields fields(text, file_name, kPairFields);
  check_name(fields);
  check_key("public_key", fields);
  check_key("secret_key", fields);
  if (!fields.errors().empty()) return fields.errors();
  KeyPair pair{std::string(fields["name"]), std::string(fields["public_key"]), SecretKey(fields["secret_key"])};
  if (!belong_together(pair)) fields.complain("public_key", "does not belong to the secret key");
  if (!fields.errors().empty()) return fields.errors();
  return pair;
}

std::string public_key_text(const PublicKey& key) {
  const std::string about =
      key.role ? "# The public key of a client of Kinloop. It is no secret: put it into the plant's folder of allowed\n"
                 "# keys. The role is what its owner may do there; to withdraw the key, delete the file.\n"
               : "# The public key of a plant of Kinloop. It is no secret: give it to every client, who knows the\n"
                 "# plant by it.\n";
  const std::string_view role = key.role ? name_of(*key.role) : kServer;
  return about + "name: " + key.name + "\nrole: " + std::string(role) + "\npublic_key: " + key.key + "\n";
}

std::string key_pair_text(const KeyPair& pair) {
  return "# A secret key of Kinloop. Who has this file is its owner to every plant: keep it, show it to "
         "nobody.\nname: " +
         pair.name + "\npublic_key: " + pair.public_key + "\nsecret_key: " + pair.secret_key.z85() + "\n";
}

Result<PublicKey, Errors> read_public_key(const std::filesystem::path& path) {
  const Result<std::string> text = read_guarded_file(path, Guard::kTrusted);
  if (!text) return Errors{text.error()};
  return parse_public_key(*text, path.string());
}

Result<KeyPair, Errors> read_key_pair(const std::filesystem::path& path) {
  Result<std::string> text = read_guarded_file(path, Guard::kSecret);
  if (!text) return Errors{text.error()};
  Result<KeyPair, Errors> pair = parse_key_pair(*text, path.string());
  ::explicit_bzero(text->data(), text->size());
  return pair;
}

}  // namespace kinloop::security
