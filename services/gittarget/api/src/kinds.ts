import type { AnyKind } from '@agents/crd'
import { clusterWatchRule } from './cluster-watch-rule/kind.ts'
import { gitProvider } from './git-provider/kind.ts'
import { gitTarget } from './git-target/kind.ts'
import { watchRule } from './watch-rule/kind.ts'

/** All kinds of the group, in the order in which a person creates them. */
export const kinds: readonly AnyKind[] = [gitProvider, gitTarget, watchRule, clusterWatchRule]
