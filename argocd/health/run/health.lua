-- Kinds that run once and end. Argo CD offers no string library here, and one second.
local condition = {}
local status = obj.status or {}
for _, one in ipairs(status.conditions or {}) do
  condition[one.type] = one
end

local function verdict(health, one)
  local message = one and one.message or ""
  if one and message == "" then message = one.reason or "" end
  return { status = health, message = message }
end

-- Nobody has looked at this generation yet. A new object starts with -1.
if status.observedGeneration == nil or status.observedGeneration ~= obj.metadata.generation then
  return { status = "Progressing", message = "waiting for the controller" }
end
local succeeded = condition.Succeeded
if succeeded ~= nil and succeeded.status == "True" then
  return verdict("Healthy", succeeded)
end
-- Failed, timed out or cancelled: what it was to do has not been done.
if condition.Finished ~= nil and condition.Finished.status == "True" then
  return verdict("Degraded", condition.Finished)
end
return verdict("Progressing", succeeded)
