-- The run's row is committed: remember its key, release the key's lock, see whether Redis still holds the run's money,
-- and tell that the run is queued.
--
-- KEYS  idem, idem_lock, hold, receipt, then as publish_event.lua: stream, state (none: nothing is told)
-- ARGV  mapping, mapping_ttl_sec, token, then as publish_event.lua
-- Returns {OK} | {HOLD_MISSING}: Redis forgot between the hold and the commit; the caller rebuilds the tenant.
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
if redis.pcall('GET', KEYS[2]) == ARGV[3] then
  redis.call('DEL', KEYS[2])
end
if KEYS[5] then
  publish_event({KEYS[5], KEYS[6]}, {unpack(ARGV, 4)})
end
if redis.call('EXISTS', KEYS[3], KEYS[4]) == 0 then
  return {'HOLD_MISSING'}
end
return {'OK'}
