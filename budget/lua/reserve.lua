-- Hold money for a run.
--
-- KEYS  balance, hold, tenant_holds, open_holds, unsent, receipt
-- ARGV  tenant_id, run_id, amount (digits)
-- Returns {OK, new_balance} | {ERR_INSUFFICIENT, balance} | {ERR_ALREADY_RESERVED, tenant_id, amount, balance}
--         | {ERR_NO_BALANCE}: Redis has forgotten this tenant, which is neither zero nor unlimited.
--
-- A run whose money has already moved is never held again: a call that was delayed on its way and arrives after its
-- own refund would make a hold that its receipt keeps anybody from returning.
-- No key expires: a hold that vanished by itself could be refunded by nobody. Amounts stay digit strings, since Lua
-- prints 10^15 as 1e+15; comparing as doubles is exact up to 2^53 - 1, the cap of every balance.
local balance_key, hold_key, tenant_holds, open_holds, unsent = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local receipt_key = KEYS[6]
local tenant_id, run_id, amount = ARGV[1], ARGV[2], ARGV[3]

local balance = balance_digits(redis.pcall('GET', balance_key))
local held = redis.pcall('HMGET', hold_key, 'tenant_id', 'reserved_usd_micros')
if held.err or (held[1] and not digits(held[2])) then
  return {'ERR_NO_BALANCE'}
end
if held[1] then
  return {'ERR_ALREADY_RESERVED', held[1], held[2], balance or ''}
end
if redis.call('EXISTS', receipt_key) == 1 then
  return {'ERR_ALREADY_RESERVED', '', '0', balance or ''}
end
-- A set of the wrong type would stop the script between its writes: the rebuild puts it right.
local readable = type(redis.pcall('SISMEMBER', tenant_holds, run_id)) == 'number'
if not balance or not readable then
  return {'ERR_NO_BALANCE'}
end
if tonumber(balance) < tonumber(amount) then
  return {'ERR_INSUFFICIENT', balance}
end

local time = redis.call('TIME')
local now_ms = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
redis.call('DECRBY', balance_key, amount)
redis.call('HSET', hold_key, 'tenant_id', tenant_id, 'reserved_usd_micros', amount, 'created_at_ms', now_ms)
redis.call('SADD', tenant_holds, run_id)
redis.call('ZADD', open_holds, now_ms, run_id)
redis.call('ZADD', unsent, now_ms, run_id)
return {'OK', redis.call('GET', balance_key)}
