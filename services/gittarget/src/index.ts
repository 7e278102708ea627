export { compareTarget, type TargetComparison } from './compare/compare-target.ts'
export { operator, operatorRules } from './config/operator.ts'
export { confirmDeleteAnnotation } from './mirror/snapshot/sweep-guard.ts'
export { createComponents, type GitTargetComponents } from './process/components.ts'
export {
  type RunningGitTarget,
  startGitTarget,
} from './process/start-git-target.ts'
