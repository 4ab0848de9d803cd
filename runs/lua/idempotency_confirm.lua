-- The run's row is committed: remember the key, and see whether Redis still holds the run's money.
--
-- KEYS  idem, hold, receipt
-- ARGV  mapping, mapping_ttl_sec
-- Returns {OK} | {HOLD_MISSING}: Redis forgot between the hold and the commit; the caller rebuilds the tenant.
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
if redis.call('EXISTS', KEYS[2], KEYS[3]) == 0 then
  return {'HOLD_MISSING'}
end
return {'OK'}
