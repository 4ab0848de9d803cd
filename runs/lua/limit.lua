-- Take from a token bucket and, for a submit, count the tenant's live runs: one step for one request.
--
-- KEYS  bucket, tenant_holds (only for a submit)
-- ARGV  rate_per_min, cost (0 looks without taking), max_live_runs (only for a submit)
-- Returns {verdict, remaining, reset_epoch_sec}; verdict is OK | RATE | CONCURRENCY. The reset is when the bucket is
-- full again; of a RATE it is when the next request of this kind will pass.
--
-- The bucket holds one minute's worth and is kept as one number: the time (Redis clock, microseconds) at which it
-- will be full again. A bucket that is full needs no key, so every key expires by itself. A take that the concurrency
-- limit refuses stays taken: the refusal costs work too.
local rate, cost = tonumber(ARGV[1]), tonumber(ARGV[2])
local minute = 60000000
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

local function answer(verdict, remaining, reset_at)
  return {verdict, string.format('%.0f', remaining), string.format('%.0f', math.ceil(reset_at / 1000000))}
end

if rate < 1 then
  return answer('RATE', 0, now + minute)
end
-- Whole microseconds: sums stay exact, and a full bucket gives exactly its rate.
local interval = math.max(math.floor(minute / rate), 1)
-- Never further ahead than an empty bucket: the clock may have been set back. What is no number is no bucket.
local kept = redis.pcall('GET', KEYS[1])
local full_at = math.min(math.max(type(kept) == 'string' and tonumber(kept) or 0, now), now + minute)
if full_at < (type(kept) == 'string' and tonumber(kept) or 0) then
  -- Written down, or the bucket would stay empty until the clock has caught up.
  redis.call('SET', KEYS[1], string.format('%.0f', full_at), 'PX', minute / 1000)
end
local after = full_at + cost * interval
if after > now + minute then
  return answer('RATE', 0, after - minute)
end
local remaining = math.floor((now + minute - after) / interval)
if cost == 0 then
  if remaining < 1 then
    return answer('RATE', 0, full_at + interval - minute)
  end
  return answer('OK', math.min(remaining, rate), full_at)
end
redis.call('SET', KEYS[1], string.format('%.0f', after), 'PX', math.ceil((after - now) / 1000))
local live = KEYS[2] and redis.pcall('SCARD', KEYS[2])
if type(live) == 'number' and live >= tonumber(ARGV[3]) then
  return answer('CONCURRENCY', math.min(remaining, rate), after)
end
return answer('OK', math.min(remaining, rate), after)
