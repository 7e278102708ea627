import type { RenderedObject } from '@agents/chart-tools'
import { type PolicyInstallation, policyObjects } from '@agents/crd'
import { admissionPolicies as mirrorPolicies } from '@agents/gittarget-api'
import { admissionPolicies as agentsPolicies } from '@agents/jangar-api'
import { describe, expect, test } from 'vitest'
import { type HelmVersion, render } from '../support/chart/render.ts'

const policies = [...agentsPolicies, ...mirrorPolicies]
const mutating = 'admissionregistration.k8s.io/v1/MutatingAdmissionPolicy'
const validating = 'admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy'

function account(namespace: string, name: string) {
  return `system:serviceaccount:${namespace}:${name}`
}

/** Without labels and annotations, which only the chart writes. */
function plain(objects: readonly RenderedObject[]): readonly unknown[] {
  return objects
    .filter(({ apiVersion }) => apiVersion === 'admissionregistration.k8s.io/v1')
    .map(({ apiVersion, kind, metadata, ...rest }) => ({
      ...{ apiVersion, kind, metadata: { name: metadata.name } },
      ...rest,
    }))
}

describe.each<HelmVersion>(['3', '4'])('admission policies with Helm %s', (helm) => {
  test.each<{
    because: string
    values: object
    namespace?: string
    serves?: readonly string[]
    version?: string
    expected: PolicyInstallation | undefined
  }>([
    {
      because: 'the cluster serves both kinds',
      values: {},
      serves: [mutating, validating],
      expected: {
        prefix: 'agents-agents',
        accounts: [account('agents', 'agents-sa'), account('agents', 'agents-controllers')],
        namespaces: ['agents'],
      },
    },
    {
      because: 'it is unknown whether mutating ones are served',
      values: {},
      expected: {
        prefix: 'agents-agents',
        accounts: [account('agents', 'agents-sa'), account('agents', 'agents-controllers')],
        namespaces: ['agents'],
        kinds: ['ValidatingAdmissionPolicy'],
      },
    },
    {
      because: 'another release has other names and namespaces',
      values: {
        controller: { namespaces: ['*'] },
        rbac: { clusterScoped: true },
        admissionPolicies: { runSecrets: true, mutating: 'enabled' },
        serviceAccount: { name: 'shared' },
      },
      namespace: 'team-b',
      expected: {
        prefix: 'team-b-agents',
        accounts: [account('team-b', 'shared')],
        features: ['runSecrets'],
      },
    },
    { because: 'the cluster is too old', values: {}, version: '1.29.4', expected: undefined },
    {
      because: 'they are disabled',
      values: { admissionPolicies: { validating: 'disabled' } },
      serves: [mutating, validating],
      expected: undefined,
    },
  ])('are as declared, where $because', async (each) => {
    const { values, namespace = 'agents', serves = [], version = '1.36.0', expected } = each
    const args = ['--kube-version', version, ...serves.flatMap((api) => ['--api-versions', api])]
    const { objects, errors } = await render(values, { helm, namespace, args })
    expect(errors).toBe('')
    const wanted = expected === undefined ? [] : policyObjects(policies, expected)
    expect(byName(plain(objects))).toEqual(byName(wanted))
  })
})

function byName(objects: readonly unknown[]): unknown {
  return Object.fromEntries(
    (objects as readonly RenderedObject[]).map((object) => [
      `${object.kind} ${object.metadata.name}`,
      object,
    ]),
  )
}
