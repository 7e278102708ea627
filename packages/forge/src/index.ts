export {
  type AutoMerge,
  type Forge,
  type ForgeService,
  forgeServices,
  type Issue,
  type Permission,
  type PullRequest,
  type User,
  type Verdicts,
} from './forge.ts'
export { ForgeError, isForgeError } from './forge-error.ts'
export { ResponseMemory } from './http/response-memory.ts'
export { type LinearIssue, linearApi, linearTracker } from './linear/linear-tracker.ts'
export { openForge } from './open-forge.ts'
