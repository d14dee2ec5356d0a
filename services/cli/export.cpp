// Opens the record, and writes or tells what is in it.
#include "services/cli/export.hpp"

#include <CLI/CLI.hpp>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <ostream>

#include "services/cli/record_csv.hpp"
#include "services/console/exit_code.hpp"
#include "services/console/table.hpp"
#include "services/record/record_summary.hpp"

namespace kinloop::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kSecond_ns = 1'000'000'000;

/// "2026-03-01 08:30:00 UTC".
std::string day_and_time(std::int64_t wall_ns) {
  const std::time_t seconds = wall_ns / static_cast<std::int64_t>(kSecond_ns);
  std::tm utc{};
  std::array<char, 64> text{};
  if (::gmtime_r(&seconds, &utc) == nullptr) return "unknown";
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S UTC", &utc);
  return text.data();
}

void warn_of_cut(const record::RecordReader& reader, const std::string& file, const console::Console& console) {
  if (!reader.cut_off()) return;
  console::print_warnings(console, {{file + ": byte " + std::to_string(*reader.cut_off()),
                                     "the record was cut off here; what came before it is good"}});
}

std::string steps_text(const record::RecordSummary& summary) {
  if (summary.steps == 0) return "none";
  std::string text = std::to_string(summary.steps) + ", from " + std::to_string(summary.first_step) + " to " +
                     std::to_string(summary.last_step);
  text += summary.missing_steps == 0 ? ", none missing" : ", " + std::to_string(summary.missing_steps) + " missing";
  if (summary.restores > 0) text += ", states restored " + std::to_string(summary.restores) + " times";
  return text;
}

std::string end_text(const record::RecordReader& reader, const record::RecordSummary& summary) {
  if (summary.damage) return "damaged: " + summary.damage->where + ": " + summary.damage->what;
  if (reader.cut_off()) {
    return "cut off at byte " + std::to_string(*reader.cut_off()) +
           ": the writer was killed, the disk was full, or it is being written";
  }
  return "proper";
}

std::string dropped_text(const record::RecordReader& reader) {
  if (!reader.end()) return "unknown, since the end is missing";
  if (reader.end()->dropped == 0) return "none";
  return std::to_string(reader.end()->dropped) + " messages: " + reader.end()->trouble;
}

void print_info(record::RecordReader& reader, const std::string& file, const console::Console& console) {
  const record::RecordSummary summary = record::summarize(reader);
  const record::RecordFacts& facts = reader.facts();
  const v1::Description& plant = facts.description;
  std::ostream& out = console.out;
  const auto line = [&](const std::string& name, const std::string& text) {
    out << "  " << name << std::string(12 - name.size(), ' ') << text << "\n";
  };
  out << console.on_out(file, console::Style::kBold) << "\n";
  line("rig", plant.rig());
  line("model", plant.model());
  line("mode", record::mode_name(plant.mode()) + ", " + console::plain_number(plant.dt_s()) + " s a step");
  line("program", "kinloop " + plant.program() + ", commit " + facts.commit + ", on " + facts.host);
  line("began", day_and_time(facts.start.wall_ns));
  line("duration", console::plain_number(static_cast<double>(summary.last_ns - summary.first_ns) /
                                         static_cast<double>(kSecond_ns)) +
                       " s");
  line("steps", steps_text(summary));
  line("dropped", dropped_text(reader));
  line("end", end_text(reader, summary));
  line("size", std::to_string(reader.file_bytes()) + " bytes");
  for (const record::McapAttachment& attachment : reader.attachments()) {
    line("file", attachment.name + ", " + std::to_string(attachment.data.size()) + " bytes");
  }
  out << "\n";
  console::Table table({{"channel"}, {"messages", console::Align::kRight}});
  for (const record::RecordChannel channel : record::kRecordChannels) {
    table.add({std::string(topic_of(channel)), std::to_string(summary.messages[static_cast<std::size_t>(channel)])});
  }
  table.print(out);
}

int write_csv(record::RecordReader& reader, const ExportOptions& options, const console::Console& console) {
  const bool to_file = options.out != "-";
  std::error_code ignored;
  if (to_file && fs::equivalent(options.out, options.file, ignored)) {
    return console::refuse({"--out " + options.out, "is the record itself"}, console);
  }
  std::ofstream file;
  errno = 0;
  if (to_file) file.open(options.out, std::ios::binary | std::ios::trunc);
  if (to_file && !file) return console::refuse({options.out, std::strerror(errno)}, console);

  errno = 0;
  const Result<bool> written = write_record_csv(reader, to_file ? static_cast<std::ostream&>(file) : console.out);
  if (!written) {
    console::print_errors(console, {written.error()}, "what came before is written");
    return console::kBadInput;
  }
  if (!*written) {
    const char* why = errno != 0 ? std::strerror(errno) : "cannot be written";
    console::print_errors(console, {{to_file ? options.out : "standard output", why}}, "");
    return console::kInternalError;
  }
  warn_of_cut(reader, options.file, console);
  if (to_file) console.out << "wrote " << options.out << "\n";
  return console::kDone;
}

}  // namespace

int run_export(const ExportOptions& options, const console::Console& console) {
  if (!options.csv && !options.info && options.unpack.empty()) {
    return console::refuse({"export", "say what: --csv, --info or --unpack"}, console);
  }
  if (options.csv && options.info) return console::refuse({"export", "--csv and --info are one or the other"}, console);
  Result<record::RecordReader> reader = record::RecordReader::open(options.file);
  if (!reader) return console::refuse(reader.error(), console);
  if (!options.unpack.empty()) {
    const auto files = record::unpack_attachments(*reader, options.unpack);
    if (!files) return console::refuse(files.error(), console);
    for (const fs::path& file : *files) console.err << "wrote " << file.string() << "\n";
  }
  if (options.csv) return write_csv(*reader, options, console);
  if (options.info) print_info(*reader, options.file, console);
  return console::kDone;
}

void add_export(CLI::App& app, Job& job) {
  CLI::App* verb = app.add_subcommand("export", "turn the record of a run into a table, or tell what it holds");
  auto options = std::make_shared<ExportOptions>();
  verb->add_option("FILE", options->file, "record of a run, .mcap")->required();
  verb->add_flag("--csv", options->csv, "commands and sensors, one row a step");
  verb->add_option("-o,--out", options->out, "where the CSV goes; - for standard output")->capture_default_str();
  verb->add_flag("--info", options->info, "of which run it is, how long, what is missing, how it ended");
  verb->add_option("--unpack", options->unpack, "write the rig and the model in the record into this folder");
  verb->footer(
      "columns: t (s), step, flags (1 overrun, 2 stale, 4 degraded, 8 faulted, 16 frozen), command.<actuator> as the\n"
      "step was given it, sensor.<sensor> at the step's end; SI units; empty where nothing was recorded.\n"
      "\n"
      "A record that was cut off, since its writer was killed or the disk was full, gives all that is before the cut.\n"
      "\n"
      "exit codes: 0 done, 2 bad usage, no record or a damaged one (rows before the damage are written), 1 the CSV\n"
      "            could not be written\n"
      "\n"
      "examples:\n"
      "  kinloop export run.mcap --info\n"
      "  kinloop export run.mcap --csv --out run.csv\n"
      "  kinloop export run.mcap --csv | kinloop plot - --columns 'sensor.*' -o run.svg\n"
      "  kinloop export run.mcap --unpack again && kinloop check again/model.yaml");
  verb->callback(
      [options, &job] { job = [options](const console::Console& console) { return run_export(*options, console); }; });
}

}  // namespace kinloop::cli
