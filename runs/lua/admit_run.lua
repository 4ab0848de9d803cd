-- Admit a run, in one step: look the key up and take its lock, count against the limits, hold the money.
--
-- KEYS  idem, idem_lock, bucket, tenant_holds, then as reserve.lua: balance, hold, open_holds, unsent, receipt
-- ARGV  as open_key.lua: token, lock_ttl_ms, stale; then as limit.lua: rate_per_min ('' for no limits), max_live_runs;
--       then as reserve.lua: tenant_id, run_id, amount
-- Returns {answer of open_key, answer of limit, answer of reserve, live runs}, each empty when it was not asked. The
--         live runs are the tenant's afterwards.
--
-- Counting live runs and adding one is a single step: no burst gets past the concurrency limit.
local opened = open_key({KEYS[1], KEYS[2]}, {ARGV[1], ARGV[2], ARGV[3]})
if opened[1] ~= 'LOCKED' then
  return {opened, {}, {}, ''}
end
local verdict = {}
if ARGV[4] ~= '' then
  verdict = limit({KEYS[3], KEYS[4]}, {ARGV[4], '1', ARGV[5]})
  if verdict[1] ~= 'OK' then
    return {opened, verdict, {}, ''}
  end
end
local reserve_keys = {KEYS[5], KEYS[6], KEYS[4], KEYS[7], KEYS[8], KEYS[9]}
local reserved = reserve(reserve_keys, {ARGV[6], ARGV[7], ARGV[8]})
return {opened, verdict, reserved, reserved[1] == 'OK' and redis.call('SCARD', KEYS[4]) or ''}
