-- Tell one event of a run: append it to its shard's stream, advance the run's state, mark it as published.
--
-- KEYS  stream, state, published
-- ARGV  run_id, seq, stage, data, stream_max_entries, state_ttl_sec, published_ttl_sec
-- Returns {PUBLISHED, entry_id} | {ALREADY} | {PASSED, seq}
--
-- One call, because a listener that reads the state must find in the stream all that led to it. A repeat (a retried
-- call, a task that ran twice) is ALREADY. An event behind the state comes from a worker that lost its run: telling it
-- now would send the listeners backwards.
local stream, state, published = KEYS[1], KEYS[2], KEYS[3]
local run_id, seq, stage, data = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4]
local stream_max_entries, state_ttl_sec, published_ttl_sec = ARGV[5], ARGV[6], ARGV[7]

if redis.call('EXISTS', published) == 1 then
  return {'ALREADY'}
end
local known = redis.call('HGET', state, 'seq')
if known and seq <= tonumber(known) then
  return {'PASSED', known}
end

local entry_id = redis.call(
  'XADD', stream, 'MAXLEN', '~', stream_max_entries, '*', 'run', run_id, 'seq', ARGV[2], 'stage', stage, 'data', data)
redis.call('HSET', state, 'seq', ARGV[2], 'stage', stage, 'data', data)
redis.call('EXPIRE', state, state_ttl_sec)
redis.call('SET', published, '1', 'EX', published_ttl_sec)
return {'PUBLISHED', entry_id}
