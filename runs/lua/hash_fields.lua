-- The fields of a hash. One of another type is thrown away: somebody wrote here who should not.
--
-- KEYS  hash
-- Returns {field, …}
local kind = redis.call('TYPE', KEYS[1]).ok
if kind ~= 'hash' and kind ~= 'none' then
  redis.call('DEL', KEYS[1])
  return {}
end
return redis.call('HKEYS', KEYS[1])
