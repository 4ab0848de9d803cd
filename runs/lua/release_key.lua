-- A submit ends without a run: release the lock if it is still ours, forget the mapping if its run was given up.
--
-- KEYS  idem_lock, idem
-- ARGV  token, mapping to forget ('' for none)
-- Returns {OK}
if redis.call('GET', KEYS[1]) == ARGV[1] then
  redis.call('DEL', KEYS[1])
end
if ARGV[2] ~= '' and redis.call('GET', KEYS[2]) == ARGV[2] then
  redis.call('DEL', KEYS[2])
end
return {'OK'}
