// Owns the columns of a CSV as a picture needs them: which are asked for, what they mean, whether they fit a model.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "core/model/model.hpp"

namespace kinloop::plot {

/// What a column is, for axes and legends.
struct ColumnMeaning {
  std::string name;      // "luff"
  std::string quantity;  // "angle"
  std::string unit;      // "rad"; empty for pure numbers and what is unknown
};

/// "angle (rad)".
std::string axis_label(const std::string& quantity, const std::string& unit);

/// Of the chosen columns. Without a model the name says whether it is a coordinate, but not whether it is an angle or a
/// length.
std::vector<ColumnMeaning> meanings_of(std::span<const std::string> columns, std::span<const int> chosen,
                                       const Model* model);

/// Position of the column; an error names near ones. `where` is the option that asks.
Result<int> find_column(std::span<const std::string> columns, const std::string& where, const std::string& name);

/// The columns that "a,b*,c?" asks for, in this order and without repetition. Every pattern must match some.
Result<std::vector<int>> select_columns(std::span<const std::string> columns, const std::string& where,
                                        const std::string& patterns);

/// All coordinates; where there are none, all but the time, steps and flags.
std::vector<int> default_columns(std::span<const std::string> columns);

/// The two columns of "x,y", whose names may have commas themselves.
Result<std::vector<int>> column_pair(std::span<const std::string> columns, const std::string& where,
                                     const std::string& pair);

/// The position of every coordinate of the model among the columns, in the order of q; columns of other joints than
/// the model's are an error, since then it is not the model of this motion.
Result<std::vector<int>, std::vector<Error>> match_model(std::span<const std::string> columns,
                                                         const std::string& csv_name, const Model& model,
                                                         const std::string& model_name);

}  // namespace kinloop::plot
