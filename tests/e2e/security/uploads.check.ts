import { likeAuthorities } from '../../support/testbed/authority.ts'
import { describeUploadAttacks } from './upload-attacks.ts'

for (const authority of likeAuthorities) describeUploadAttacks(authority)
