-- Give a lease back, if it is still ours.
--
-- KEYS  lease
-- ARGV  token
-- Returns {RELEASED} | {LOST}
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return {'LOST'}
end
redis.call('DEL', KEYS[1])
return {'RELEASED'}
