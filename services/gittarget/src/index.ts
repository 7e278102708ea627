export { type OperatorConfig, operator, operatorRules } from './config/operator.ts'
export { CONFIRM_DELETE } from './mirror/sweep-guard.ts'
export {
  type GitTargetWorld,
  type GitTargetWorldOptions,
  gitTargetWorld,
} from './process/git-target-world.ts'
export type { KindController } from './process/kind-runnable.ts'
export { type OperatorEffects, runOperator } from './process/run-operator.ts'
export {
  type RunningGitTarget,
  type StartGitTargetOptions,
  startGitTarget,
} from './process/start-git-target.ts'
