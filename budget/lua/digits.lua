-- Put before every script of the ledger: an amount that is no digits, or a key of another type, is no amount.
-- Scripts read with pcall and go on as if Redis had forgotten it; the rebuild writes it anew.
local function digits(reply)
  return type(reply) == 'string' and string.match(reply, '^%d+$') or nil
end

-- A member of a set of holds that names no run: somebody wrote here who should not.
local function names_run(member)
  return #member == 36 and string.match(member, '^%x+%-%x+%-%x+%-%x+%-%x+$') ~= nil
end

-- Below zero for a moment: a rebuild while Redis had admitted more than there is, until those submits are refused.
local function balance_digits(reply)
  return type(reply) == 'string' and string.match(reply, '^%-?%d+$') or nil
end
