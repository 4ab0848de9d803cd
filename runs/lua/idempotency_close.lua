-- The submit is over: release the lock if it is still ours, clear the unsent marker if the send was confirmed,
-- forget the mapping if the run was given up.
--
-- KEYS  idem_lock, idem, unsent
-- ARGV  token, run_id ('' when there is none), sent ('1'|'0'), mapping to forget ('' for none)
-- Returns {OK}
if redis.call('GET', KEYS[1]) == ARGV[1] then
  redis.call('DEL', KEYS[1])
end
if ARGV[3] == '1' then
  redis.call('ZREM', KEYS[3], ARGV[2])
end
if ARGV[4] ~= '' and redis.call('GET', KEYS[2]) == ARGV[4] then
  redis.call('DEL', KEYS[2])
end
return {'OK'}
