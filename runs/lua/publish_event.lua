-- Tell one event: append it to its shard's stream and advance the state of its thing (of a run, mostly).
--
-- KEYS  stream, state
-- ARGV  id, seq, stage, data, stream_max_entries, state_ttl_sec
-- Returns {PUBLISHED, entry_id} | {ALREADY} | {PASSED, seq}
--
-- One call, because a listener that reads the state must find in the stream all that led to it. The state's number is
-- also the memory of what was told: a repeat of it (a retried call, a task that ran twice) is ALREADY. An event behind
-- it is one told before, or comes from a worker that lost its run: telling it now would send the listeners backwards.
local stream, state = KEYS[1], KEYS[2]
local id, seq, stage, data = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4]
local stream_max_entries, state_ttl_sec = ARGV[5], ARGV[6]

local known = tonumber(redis.call('HGET', state, 'seq'))
if known and seq == known then
  return {'ALREADY'}
end
if known and seq < known then
  return {'PASSED', string.format('%.0f', known)}
end

local entry_id = redis.call(
  'XADD', stream, 'MAXLEN', '~', stream_max_entries, '*', 'run', id, 'seq', ARGV[2], 'stage', stage, 'data', data)
redis.call('HSET', state, 'seq', ARGV[2], 'stage', stage, 'data', data)
redis.call('EXPIRE', state, state_ttl_sec)
return {'PUBLISHED', entry_id}
