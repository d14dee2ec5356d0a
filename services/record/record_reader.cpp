// Decodes one message at a time, into memory that is used again.
#include "services/record/record_reader.hpp"

#include <google/protobuf/descriptor.h>

#include <system_error>
#include <utility>

#include "core/base/nearest_name.hpp"
#include "services/base/write_file.hpp"

namespace kinloop::record {

struct RecordReader::Messages {
  v1::SensorFrame sensors;
  v1::StepInput inputs;
  v1::ActuatorFrame commands;
  v1::Event events;
  v1::RecordedParameters parameters;
  v1::RecordedSnapshot snapshots;
};

RecordReader::RecordReader(McapReader mcap) : mcap_(std::move(mcap)), messages_(std::make_unique<Messages>()) {
  wanted_.set();
}
RecordReader::RecordReader(RecordReader&&) noexcept = default;
RecordReader& RecordReader::operator=(RecordReader&&) noexcept = default;
RecordReader::~RecordReader() = default;

Result<RecordReader> RecordReader::open(const std::filesystem::path& path) {
  Result<McapReader> mcap = McapReader::open(path);
  if (!mcap) return mcap.error();
  RecordReader reader(std::move(mcap).value());
  if (const Result<bool> head = reader.read_head(); !head) return head.error();
  return reader;
}

Result<bool> RecordReader::read_head() {
  const Result<McapItem> first = next_message();
  if (!first) return first.error();
  has_first_ = *first == McapItem::kMessage;
  if (has_facts_) return true;
  if (mcap_.cut_off()) return mcap_.error_at(*mcap_.cut_off(), "the file was cut off before it says what it is of");
  return Error{mcap_.path().string(), "is an MCAP file, but no record of a run"};
}

/// Up to the next message or the end; keeps what lies between.
Result<McapItem> RecordReader::next_message() {
  for (;;) {
    Result<McapItem> item = mcap_.next();
    if (!item || *item == McapItem::kMessage || *item == McapItem::kEnd) return item;
    if (*item == McapItem::kAttachment) {
      if (const Result<bool> kept = keep_attachment(); !kept) return kept.error();
      continue;
    }
    const McapMetadata& metadata = mcap_.metadata();
    const auto wrong = [&](const Error& error) {
      return Error{mcap_.path().string() + ": metadata " + metadata.name + ": " + error.where, error.what};
    };
    if (metadata.name == kFactsName) {
      Result<RecordFacts> facts = facts_of(metadata.values);
      if (!facts) return wrong(facts.error());
      facts_ = std::move(facts).value();
      has_facts_ = true;
    } else if (metadata.name == kEndName) {
      Result<RecordEnd> end = end_of(metadata.values);
      if (!end) return wrong(end.error());
      end_ = std::move(end).value();
    }
  }
}

Result<bool> RecordReader::keep_attachment() {
  std::size_t bytes = mcap_.attachment().data.size();
  for (const McapAttachment& kept : attachments_) bytes += kept.data.size() + kept.name.size();
  constexpr std::size_t kMaxAttachments = 1000;
  if (bytes > kLargestMcapRecord || attachments_.size() == kMaxAttachments) {
    return Error{mcap_.path().string(), "the attachments are too large, or too many"};
  }
  attachments_.push_back(mcap_.attachment());
  return true;
}

void RecordReader::want(std::initializer_list<RecordChannel> channels) {
  wanted_.reset();
  for (const RecordChannel channel : channels) wanted_.set(static_cast<std::size_t>(channel));
}

Result<const RecordItem*> RecordReader::next() {
  for (;;) {
    if (!std::exchange(has_first_, false)) {
      const Result<McapItem> found = next_message();
      if (!found) return found.error();
      if (*found == McapItem::kEnd) return nullptr;
    }
    const std::optional<RecordChannel> channel = find_channel(mcap_.message().channel->topic);
    if (!channel || !wanted_.test(static_cast<std::size_t>(*channel))) continue;
    if (const Result<bool> decoded = decode(*channel); !decoded) return decoded.error();
    return &item_;
  }
}

Result<bool> RecordReader::decode(RecordChannel channel) {
  const McapMessage& message = mcap_.message();
  const std::string topic(topic_of(channel));
  const auto schema = mcap_.schemas().find(message.channel->schema);
  const std::string& expected = message_of(channel).full_name();
  if (message.channel->message_encoding != "protobuf" || schema == mcap_.schemas().end() ||
      schema->second.name != expected) {
    return error_here("the channel " + topic + " does not hold " + expected + " as protobuf");
  }
  const auto parse = [&](auto& to) {
    item_.message = &to;
    return to.ParseFromArray(message.data.data(), static_cast<int>(message.data.size()));
  };
  bool is_good = false;
  switch (channel) {
    case RecordChannel::kSensors:
      is_good = parse(messages_->sensors);
      break;
    case RecordChannel::kInputs:
      is_good = parse(messages_->inputs);
      break;
    case RecordChannel::kCommands:
      is_good = parse(messages_->commands);
      break;
    case RecordChannel::kEvents:
      is_good = parse(messages_->events);
      break;
    case RecordChannel::kParameters:
      is_good = parse(messages_->parameters);
      break;
    case RecordChannel::kSnapshots:
      is_good = parse(messages_->snapshots);
      break;
  }
  if (!is_good) return error_here("a message of the channel " + topic + " is malformed");
  item_.channel = channel;
  item_.time_ns = message.log_time_ns;
  item_.sequence = message.sequence;
  return true;
}

Result<std::vector<std::filesystem::path>> unpack_attachments(const RecordReader& record,
                                                              const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return Error{folder.string(), error.message()};
  std::vector<std::filesystem::path> written;
  for (const McapAttachment& attachment : record.attachments()) {
    const std::string& name = attachment.name;
    const bool is_plain = !name.empty() && name.front() != '.' && name.find('/') == std::string::npos &&
                          name.find('\0') == std::string::npos;
    if (!is_plain) return Error{in_quotes(name), "is no name of a file in this folder"};
    if (const auto failure = write_file(folder / name, attachment.data)) return failure->error;
    written.push_back(folder / name);
  }
  return written;
}

}  // namespace kinloop::record
