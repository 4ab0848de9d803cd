-- Take the price of one poll from a tenant's balance. The caller holds the tenant's row lock and commits right after.
--
-- KEYS  balance, mark
-- ARGV  amount (digits), mark_ttl_sec
-- Returns OK | ERR_INSUFFICIENT | ERR_NO_BALANCE
--
-- The mark is this charge's own: a call whose answer was lost is sent again, and must not be applied again.
local balance_key, mark_key = KEYS[1], KEYS[2]
local amount, mark_ttl_sec = ARGV[1], ARGV[2]

local balance = balance_digits(redis.pcall('GET', balance_key))
if not balance then
  return 'ERR_NO_BALANCE'
end
if redis.call('EXISTS', mark_key) == 1 then
  return 'OK'
end
if tonumber(balance) < tonumber(amount) then
  return 'ERR_INSUFFICIENT'
end

redis.call('SET', mark_key, '1', 'EX', mark_ttl_sec)
redis.call('DECRBY', balance_key, amount)
return 'OK'
