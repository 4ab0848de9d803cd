-- One consistent look at a tenant's money in Redis, for the audit. Writes nothing.
--
-- KEYS  balance, tenant_holds
-- ARGV  what the names of holds and those of receipts begin with, then the ids of the tenant's live runs: their
--       receipts show money that has moved before its commit
-- Returns {balance or '', {run_id, amount, …} of all holds, {run_id, charge, …} of the receipts found}
local holds, receipts = {}, {}
local members = redis.pcall('SMEMBERS', KEYS[2])
for _, run_id in ipairs(members.err and {} or members) do
  local amount = names_run(run_id) and digits(redis.pcall('HGET', ARGV[1] .. run_id, 'reserved_usd_micros'))
  if amount then
    holds[#holds + 1] = run_id
    holds[#holds + 1] = amount
  end
end
for number = 3, #ARGV do
  local run_id = ARGV[number]
  local charge = digits(redis.pcall('HGET', ARGV[2] .. run_id, 'charge'))
  if charge then
    receipts[#receipts + 1] = run_id
    receipts[#receipts + 1] = charge
  end
end
return {balance_digits(redis.pcall('GET', KEYS[1])) or '', holds, receipts}
