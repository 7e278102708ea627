-- Health of kinds that run once. Argo CD gives scripts no string library and one second.
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

-- No controller has reconciled this generation yet. observedGeneration of a new object is -1.
if status.observedGeneration == nil or status.observedGeneration ~= obj.metadata.generation then
  return { status = "Progressing", message = "waiting for the controller" }
end
local succeeded = condition.Succeeded
if succeeded ~= nil and succeeded.status == "True" then
  return verdict("Healthy", succeeded)
end
-- The run failed, timed out or was cancelled.
if condition.Finished ~= nil and condition.Finished.status == "True" then
  return verdict("Degraded", condition.Finished)
end
return verdict("Progressing", succeeded)
