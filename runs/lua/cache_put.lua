-- Keep one cache entry, within a total that only the cache's own entries make room for.
--
-- KEYS  entry, ages, ends, sizes
-- ARGV  value, lifetime_ms, total_max_bytes, memory_percent, pinned (or empty)
-- Returns {STORED, total_bytes} | {FULL, total_bytes}
--
-- Redis itself evicts nothing, because it holds money. So the cache counts what it takes (key, value and what the
-- accounting of an entry costs) and removes its oldest entries to make room. It also looks at Redis's own memory: when
-- that runs short, whoever uses it, the cache gives back instead of taking. It deletes before it writes, and a script
-- that has begun to change things is not stopped by a full memory: so giving back works when writing is refused.
--
-- Entries expire by themselves; their share of the total is given back by the next call. Evicted keys are not among
-- KEYS: a group's entries lie on one node, with its accounts. A pinned entry has no age: it counts, and is never the oldest.
local entry, ages, ends, sizes = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local value, lifetime_ms = ARGV[1], tonumber(ARGV[2])
local total_max, memory_percent = tonumber(ARGV[3]), tonumber(ARGV[4])
local pinned = ARGV[5] ~= ''

local OVERHEAD = 512
local MOST_AT_ONCE = 1000 -- a call stays short; the next one goes on
local GIVEN_BACK = 10

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local total = tonumber(redis.call('HGET', sizes, 'total') or 0)
local size = #value + #entry + OVERHEAD

local function forget(name)
  local held = redis.call('HGET', sizes, name)
  redis.call('UNLINK', name)
  redis.call('ZREM', ages, name)
  redis.call('ZREM', ends, name)
  redis.call('HDEL', sizes, name)
  total = math.max(0, total - (tonumber(held) or 0))
end

local function forget_oldest()
  local oldest = redis.call('ZRANGE', ages, 0, 0)[1]
  if not oldest then
    return false
  end
  forget(oldest)
  return true
end

local function memory_is_short()
  local info = redis.call('INFO', 'memory')
  local most = tonumber(string.match(info, '\nmaxmemory:(%d+)'))
  return most > 0 and tonumber(string.match(info, '\nused_memory:(%d+)')) + size > most * memory_percent / 100
end

local function answer(word)
  redis.call('HSET', sizes, 'total', string.format('%.0f', total))
  return {word, string.format('%.0f', total)}
end

for _, name in ipairs(redis.call('ZRANGEBYSCORE', ends, '-inf', now, 'LIMIT', 0, MOST_AT_ONCE)) do
  forget(name)
end
forget(entry)

if memory_is_short() then
  for _ = 1, GIVEN_BACK do
    if not forget_oldest() then break end
  end
  return answer('FULL')
end
for _ = 1, MOST_AT_ONCE do
  if total + size <= total_max or not forget_oldest() then break end
end
if total + size > total_max then
  return answer('FULL')
end

redis.call('SET', entry, value, 'PX', lifetime_ms)
if not pinned then
  redis.call('ZADD', ages, now, entry)
end
redis.call('ZADD', ends, now + lifetime_ms, entry)
redis.call('HSET', sizes, entry, size)
total = total + size
return answer('STORED')
