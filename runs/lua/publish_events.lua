-- Tell several events in one step, each as publish_event.lua tells one.
--
-- KEYS  per event: stream, state
-- ARGV  stream_max_entries, state_ttl_sec, then per event: id, seq, stage, data
-- Returns the answers of publish_event.lua
local answers = {}
for number = 1, #KEYS / 2 do
  local key, arg = number * 2 - 1, number * 4 - 1
  answers[number] = publish_event(
    {KEYS[key], KEYS[key + 1]},
    {ARGV[arg], ARGV[arg + 1], ARGV[arg + 2], ARGV[arg + 3], ARGV[1], ARGV[2]})
end
return answers
