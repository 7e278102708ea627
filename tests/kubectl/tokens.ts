import type { StaticToken } from '../testbed/real-cluster.ts'

/** Who types in the stories, beside the administrator. */
export const tokens: readonly StaticToken[] = [
  { token: 'visitor-token', user: 'visitor', uid: 'visitor-uid', groups: ['visitors'] },
]
