import { serversOfTier } from '../../support/testbed/servers-of-tier.ts'

export const servers = await serversOfTier()
