-- Take one of a host's slots for a download.
--
-- KEYS  slots (a sorted set: token -> end of its life, ms by Redis's clock)
-- ARGV  token, slots_at_once, ttl_ms
-- Returns {TAKEN} | {FULL}
--
-- A slot ends by itself: a process that was killed must not keep a host closed. A slot that is already ours counts as
-- taken: the first answer may have been lost on its way.
local slots, token = KEYS[1], ARGV[1]
local slots_at_once, ttl_ms = tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

redis.call('ZREMRANGEBYSCORE', slots, '-inf', now)
if not redis.call('ZSCORE', slots, token) and redis.call('ZCARD', slots) >= slots_at_once then
  return {'FULL'}
end
redis.call('ZADD', slots, now + ttl_ms, token)
redis.call('PEXPIRE', slots, ttl_ms)
return {'TAKEN'}
