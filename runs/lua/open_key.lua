-- Look a key up and, if it is new, take its lock, in one step.
--
-- KEYS  idem, idem_lock
-- ARGV  token (who asks), lock_ttl_ms, stale (a mapping found to name no usable run; '' for none)
-- Returns {MAPPED, mapping} | {LOCKED} | {BUSY}
--
-- A lock that is already ours counts as taken: the first answer may have been lost on its way.
-- A mapping or lock of another type is none; whoever sets it next replaces it.
local function text(key)
  local found = redis.pcall('GET', key)
  return type(found) == 'string' and found or nil
end
local mapping = text(KEYS[1])
if mapping and mapping ~= ARGV[3] then
  return {'MAPPED', mapping}
end
local holder = text(KEYS[2])
if holder and holder ~= ARGV[1] then
  return {'BUSY'}
end
redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[2])
return {'LOCKED'}
