-- Take a lease, or renew our own.
--
-- KEYS  lease
-- ARGV  token (who asks), ttl_ms
-- Returns {OURS} | {BUSY}
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then
  return {'BUSY'}
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return {'OURS'}
