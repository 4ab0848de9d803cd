-- Tell several events in one step, each as publish_event.lua tells one.
--
-- KEYS  per event: stream, state, published
-- ARGV  stream_max_entries, state_ttl_sec, published_ttl_sec, then per event: run_id, seq, stage, data
-- Returns the answers of publish_event.lua
local answers = {}
for number = 1, #KEYS / 3 do
  local key, arg = number * 3 - 2, number * 4
  answers[number] = publish_event(
    {KEYS[key], KEYS[key + 1], KEYS[key + 2]},
    {ARGV[arg], ARGV[arg + 1], ARGV[arg + 2], ARGV[arg + 3], ARGV[1], ARGV[2], ARGV[3]})
end
return answers
