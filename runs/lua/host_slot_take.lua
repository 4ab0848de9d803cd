-- Take one of a host's slots for a download.
--
-- KEYS  slots (a sorted set: token -> end of its life, ms by Redis's clock)
-- ARGV  token (tenant/uuid), slots_at_once, slots_per_tenant, ttl_ms
-- Returns {TAKEN} | {FULL}
--
-- A slot ends by itself: a process that was killed must not keep a host closed. A slot that is already ours counts as
-- taken: the first answer may have been lost on its way. One tenant never holds all slots: slow pages of its own choice
-- would close the host to everybody else.
local slots, token = KEYS[1], ARGV[1]
local slots_at_once, slots_per_tenant, ttl_ms = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function tenant_of(name)
  return string.match(name, '^(.*)/')
end

redis.call('ZREMRANGEBYSCORE', slots, '-inf', now)
if not redis.call('ZSCORE', slots, token) then
  local held = redis.call('ZRANGE', slots, 0, -1)
  local tenants = 0
  for _, name in ipairs(held) do
    if tenant_of(name) == tenant_of(token) then
      tenants = tenants + 1
    end
  end
  if #held >= slots_at_once or tenants >= slots_per_tenant then
    return {'FULL'}
  end
end
redis.call('ZADD', slots, now + ttl_ms, token)
redis.call('PEXPIRE', slots, ttl_ms)
return {'TAKEN'}
