export { compareTarget, type TargetComparison } from './compare/compare-target.ts'
export { operator, operatorRules } from './config/operator.ts'
export { confirmDeleteAnnotation } from './mirror/snapshot/sweep-guard.ts'
export { createComponents, type GitTargetComponents } from './process/components.ts'
export {
  type RunningGitTarget,
  startGitTarget,
} from './process/start-git-target.ts'
export { lastRevisionOf, type ObjectPlace } from './restore/last-revision-of.ts'
export { type PlannedObject, planRestore } from './restore/plan-restore.ts'
export {
  readStoredObjects,
  type StoredObject,
  type UnusableFile,
} from './restore/read-stored-objects.ts'
export { Restorer } from './restore/restore-object.ts'
export { kindOf, type RestoredKind, restoredKinds } from './restore/restored-kinds.ts'
