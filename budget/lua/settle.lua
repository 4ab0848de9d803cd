-- Charge a held reservation and return the rest. Applied once; a repeat answers the same amounts.
--
-- KEYS  balance, hold, receipt, tenant_holds, open_holds, unsent
-- ARGV  run_id, charge (digits), receipt_ttl_sec
-- Returns {OK, charge, refund, balance} | {ERR_RECEIPT, kind, charge, refund} | {ERR_NO_RESERVE} | {ERR_NO_BALANCE}
--
-- The receipt is looked at first: it is what makes a retry harmless. The charge is capped at the reservation.
local balance_key, hold_key, receipt_key = KEYS[1], KEYS[2], KEYS[3]
local tenant_holds, open_holds, unsent = KEYS[4], KEYS[5], KEYS[6]
local run_id, charge, receipt_ttl_sec = ARGV[1], tonumber(ARGV[2]), ARGV[3]

local balance = balance_digits(redis.pcall('GET', balance_key))
local receipt = redis.pcall('HMGET', receipt_key, 'kind', 'charge', 'refund')
if receipt.err or not (digits(receipt[2]) and digits(receipt[3])) then
  receipt = {}
end
if receipt[1] == 'settle' then
  return {'OK', receipt[2], receipt[3], balance or ''}
elseif receipt[1] then
  return {'ERR_RECEIPT', receipt[1], receipt[2], receipt[3]}
end
local reserved = digits(redis.pcall('HGET', hold_key, 'reserved_usd_micros'))
if not reserved then
  return {'ERR_NO_RESERVE'}
end
if not balance then
  return {'ERR_NO_BALANCE'}
end

if charge > tonumber(reserved) then
  charge = tonumber(reserved)
end
local charged = string.format('%.0f', charge)
local refund = string.format('%.0f', tonumber(reserved) - charge)
redis.call('INCRBY', balance_key, refund)
redis.call('DEL', receipt_key)
redis.call('HSET', receipt_key, 'kind', 'settle', 'charge', charged, 'refund', refund)
redis.call('EXPIRE', receipt_key, receipt_ttl_sec)
redis.call('DEL', hold_key)
redis.call('SREM', tenant_holds, run_id)
redis.call('ZREM', open_holds, run_id)
redis.call('ZREM', unsent, run_id)
return {'OK', charged, refund, redis.call('GET', balance_key)}
