// Owns the language of numbers in files: arithmetic over numbers, units and named parameters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "services/files/parameter_scope.hpp"
#include "services/files/quantity.hpp"

// The grammar, blanks allowed between tokens:
//   sum     = product (('+' | '-') product)*
//   product = signed (('*' | '/') signed)*
//   signed  = ('+' | '-')* power
//   power   = primary ['^' signed]                      right to left: 2^3^2 = 512, -2^2 = -4
//   primary = number [unit] | 'pi' | parameter | index | function '(' sum (',' sum)* ')' | '(' sum ')'
//   unit    = symbol ['^' whole] (('*' | '/' | ' ') symbol ['^' whole])*
// A unit stands only behind a number. There '*' and '/' without blanks around them, and '^', continue the unit if a
// unit symbol follows, also if a parameter has that name: "3 m/s" is a speed, "3 m / s" is 3 m over the parameter s.
namespace kinloop {

/// What is wrong with an expression, and at which byte of it.
struct ExpressionError {
  std::size_t offset = 0;
  std::string what;
  /// A parameter it uses has no value because its own expression is wrong; that is reported elsewhere.
  bool is_consequence = false;
};

/// Evaluates an expression; the value is finite and in SI units.
Result<Quantity, ExpressionError> evaluate_expression(std::string_view text, const ParameterScope& scope);

/// A name used as a parameter, and where.
struct NameUse {
  std::string_view name;
  std::size_t offset = 0;
};

/// The names in an expression that are neither units, functions nor constants; works for wrong expressions too.
std::vector<NameUse> parameters_used(std::string_view text);

/// Whether the text is a name: a letter or '_', then letters, digits and '_'.
bool is_identifier(std::string_view text) noexcept;

/// Why no parameter may have this name; empty if one may.
std::string problem_with_name(std::string_view name);

}  // namespace kinloop
