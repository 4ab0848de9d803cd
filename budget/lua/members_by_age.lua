-- The members of an index by moments (ms, Redis clock) that are older than so long, oldest first.
--
-- KEYS  index
-- ARGV  after (a moment; -inf for the oldest), older_than_ms, skip, most
-- Returns {member, moment, …}
--
-- An index of another type is thrown away: somebody wrote here who should not. Rebuilds and submits write it anew.
local index, after, older_than_ms, skip, most = KEYS[1], ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4]
local kind = redis.call('TYPE', index).ok
if kind ~= 'zset' and kind ~= 'none' then
  redis.call('DEL', index)
  return {}
end
local time = redis.call('TIME')
local latest = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000) - older_than_ms)
return redis.call('ZRANGEBYSCORE', index, after, latest, 'WITHSCORES', 'LIMIT', skip, most)
