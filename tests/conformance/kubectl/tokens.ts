import type { StaticToken } from '../../support/testbed/real-cluster.ts'

/** The users of the stories besides the administrator. */
export const tokens: readonly StaticToken[] = [
  { token: 'visitor-token', user: 'visitor', uid: 'visitor-uid', groups: ['visitors'] },
]
