-- Make Redis say about one tenant what the database says. The caller holds the tenant's row lock, so that no run of
-- this tenant can be inserted or ended in the database meanwhile; money calls in Redis may still come before or
-- after this script, never in its middle.
--
-- KEYS  balance, tenant_holds, open_holds
-- ARGV  tenant_id, available, receipt_ttl_sec, what the names of holds and those of receipts begin with,
--       number of live runs, number of ended runs, then
--       per live run:  run_id, amount
--       per ended run: run_id, kind (settle|refund), charge, refund    (ended runs that still have a hold)
-- Returns {balance before or '', balance after, holds restored, holds closed, values that could not be read}
--
-- Three kinds of holds: of a live run (restored, unless a receipt shows that its money has already moved and only
-- the commit is missing), of an ended run (closed with the journal's amounts), of no run yet (a submit between its
-- hold and its row: kept, and its amount stays out of the balance).
local balance_key, tenant_holds, open_holds = KEYS[1], KEYS[2], KEYS[3]
local tenant_id, target, receipt_ttl_sec = ARGV[1], tonumber(ARGV[2]), ARGV[3]
local holds, receipts = ARGV[4], ARGV[5]
local live_count, ended_count = tonumber(ARGV[6]), tonumber(ARGV[7])

-- Keys of another type are thrown away and counted: somebody wrote here who should not.
local unreadable = 0
local function of_type(key, kind)
  local found = redis.call('TYPE', key).ok
  if found ~= 'none' and found ~= kind then
    redis.call('DEL', key)
    unreadable = unreadable + 1
  end
end
of_type(balance_key, 'string')
of_type(tenant_holds, 'set')
of_type(open_holds, 'zset')

local time = redis.call('TIME')
local now_ms = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
local position, restored, closed = 8, 0, 0
local live = {}

for _ = 1, live_count do
  local run_id, amount = ARGV[position], ARGV[position + 1]
  position = position + 2
  live[run_id] = true
  of_type(receipts .. run_id, 'hash')
  local refund = digits(redis.call('HGET', receipts .. run_id, 'refund'))
  if refund then
    target = target + tonumber(refund)
  else
    local hold_key = holds .. run_id
    of_type(hold_key, 'hash')
    if redis.call('HGET', hold_key, 'reserved_usd_micros') ~= amount then
      redis.call('HSET', hold_key, 'tenant_id', tenant_id, 'reserved_usd_micros', amount)
      redis.call('HSETNX', hold_key, 'created_at_ms', now_ms)
      restored = restored + 1
    end
    redis.call('SADD', tenant_holds, run_id)
    redis.call('ZADD', open_holds, 'NX', now_ms, run_id)
  end
end

for _ = 1, ended_count do
  local run_id, kind, charge, refund = ARGV[position], ARGV[position + 1], ARGV[position + 2], ARGV[position + 3]
  position = position + 4
  if redis.call('DEL', holds .. run_id) == 1 then
    of_type(receipts .. run_id, 'hash')
    redis.call('HSET', receipts .. run_id, 'kind', kind, 'charge', charge, 'refund', refund)
    redis.call('EXPIRE', receipts .. run_id, receipt_ttl_sec)
    closed = closed + 1
  end
  redis.call('SREM', tenant_holds, run_id)
  redis.call('ZREM', open_holds, run_id)
end

for _, run_id in ipairs(redis.call('SMEMBERS', tenant_holds)) do
  if not live[run_id] then
    local amount = names_run(run_id) and digits(redis.pcall('HGET', holds .. run_id, 'reserved_usd_micros'))
    if amount then
      target = target - tonumber(amount)
    else
      unreadable = unreadable + (names_run(run_id) and 0 or 1)
      redis.call('SREM', tenant_holds, run_id)
    end
  end
end

local before = redis.call('GET', balance_key)
if before and not balance_digits(before) then
  before = false
  unreadable = unreadable + 1
end
local after = string.format('%.0f', target)
redis.call('SET', balance_key, after)
return {before or '', after, restored, closed, unreadable}
