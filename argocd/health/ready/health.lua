-- Health of kinds that live until they are deleted. Argo CD gives scripts no string library and one second.
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

if obj.spec ~= nil and obj.spec.suspend == true then
  return { status = "Suspended", message = "spec.suspend is true" }
end
-- No controller has reconciled this generation yet. observedGeneration of a new object is -1.
if status.observedGeneration == nil or status.observedGeneration ~= obj.metadata.generation then
  return { status = "Progressing", message = "waiting for the controller" }
end
if condition.Stalled ~= nil and condition.Stalled.status == "True" then
  return verdict("Degraded", condition.Stalled)
end
if condition.Reconciling ~= nil and condition.Reconciling.status == "True" then
  return verdict("Progressing", condition.Reconciling)
end
if condition.Ready ~= nil and condition.Ready.status == "True" then
  return verdict("Healthy", condition.Ready)
end
return verdict("Progressing", condition.Ready)
