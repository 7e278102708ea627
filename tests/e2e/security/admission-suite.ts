import { type PolicyObject, policyObjects } from '@agents/crd'
import { admissionPolicies as mirrorPolicies } from '@agents/gittarget-api'
import { admissionPolicies as agentsPolicies, requestedByAnnotation } from '@agents/jangar-api'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import type { Authority } from '../../support/testbed/authority.ts'
import { until } from '../../support/testbed/until.ts'
import { agentRun, secretProbes, watchRule } from './admission-probes.ts'
import { describeImportedSpecAuthor } from './imported-spec-author.ts'
import { describeOrchestrationAuthor } from './orchestration-author.ts'
import { describeOwnerAttacks } from './owner-attacks.ts'
import { describeRunRequester, stampOf } from './run-requester.ts'
import { describeScheduleAuthor, describeScheduleTrigger } from './schedule-author.ts'
import { describeSecretBindingAuthor } from './secret-binding-author.ts'
import { describeSecretReferences } from './secret-references.ts'
import { describeSourceAuthor } from './source-author.ts'
import { writeOurs } from './tenant-rights.ts'
import {
  type AnyObject,
  installPolicies,
  servesMutation,
  startTenants,
  type Tenants,
  untilRefused,
} from './tenants.ts'
import { describeWatchRights } from './watch-rights.ts'

const controllers = 'system:serviceaccount:agents:agents-controllers'

/** The policies of an installation in the namespace agents with these features. */
function installedPolicies(...features: readonly string[]): readonly PolicyObject[] {
  return policyObjects([...agentsPolicies, ...mirrorPolicies], {
    prefix: 'agents',
    accounts: [controllers, 'trusted'],
    features,
  })
}

/** Tenants that use the platform to reach what they may not read themselves. */
export function describeAdmission(authority: Authority): void {
  describe(`tenants on the ${authority} API server`, () => {
    let tenants: Tenants
    let stamps = false

    beforeAll(async () => {
      tenants = await startTenants(authority)
      // Without the policies the attack is accepted, so that they are the reason when it is refused.
      const open = await tenants.namespace()
      const attacker = await tenants.user('attacker', { namespace: open, rules: [writeOurs] })
      const [attack] = secretProbes
      expect((await attacker.create(attack?.object(open) as AnyObject)).code).toBe(201)
      const served = await servesMutation(tenants.admin)
      await installPolicies(
        tenants.admin,
        installedPolicies('runSecrets').filter(({ kind }) => served || !/^Mutating/.test(kind)),
      )
      const closing = await tenants.namespace()
      await tenants.user('attacker', { namespace: closing, rules: [writeOurs] })
      const stealing = (object: AnyObject) => ({
        ...object,
        metadata: { ...object.metadata, name: `stolen-${performance.now()}` },
      })
      await untilRefused(() => attacker.create(stealing(attack?.object(closing) as AnyObject)))
      await untilRefused(() =>
        attacker.create(stealing(watchRule(closing, { resources: ['secrets'] }))),
      )
      const forge = () =>
        attacker.create(stealing(agentRun(closing, { [requestedByAnnotation]: 'developer' })))
      // If the embedded server does not enforce mutating policies, the validating one refuses.
      await until(async () => {
        const { code, object } = await forge()
        stamps = code === 201 && stampOf(object) === 'attacker'
        return stamps || (authority === 'embedded' && code === 403)
      })
    })

    afterAll(() => tenants?.stop())

    describeSecretReferences(() => tenants)
    describeWatchRights(() => tenants)
    describeRunRequester(
      () => tenants,
      () => stamps,
    )
    describeSourceAuthor(() => tenants)
    describeImportedSpecAuthor(() => tenants)
    describeScheduleTrigger(() => tenants)
    describeScheduleAuthor(
      () => tenants,
      () => stamps,
    )
    describeOrchestrationAuthor(() => tenants)
    describeOwnerAttacks(() => tenants)
    describeSecretBindingAuthor(() => tenants)
  })
}
