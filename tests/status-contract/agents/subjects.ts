import {
  agentController,
  agentProviderController,
  implementationSourceController,
  implementationSpecController,
  memoryController,
  versionControlProviderController,
} from '@agents/jangar'
import {
  agent,
  agentProvider,
  implementationSource,
  implementationSpec,
  memory,
  versionControlProvider,
} from '@agents/jangar-api'
import { kindRef, SecretKind } from '@agents/kube'
import type { ContractSubject } from '../contract-subject.ts'
import { agentsWorld } from './agents-world.ts'
import { objectDependency, secretContent } from './object-dependency.ts'

const secret = objectDependency(SecretKind, 'credentials', secretContent)
const secretRef = { name: 'credentials', key: 'token' }

/** The kinds of the agents group that live until they are deleted. */
export const agentsSubjects: readonly ContractSubject[] = [
  {
    kind: agentProvider,
    spec: { binary: '/bin/sh' },
    changedSpec: { binary: '/bin/bash' },
    world: agentsWorld(agentProviderController),
  },
  {
    kind: agent,
    spec: { providerRef: { name: 'provider' } },
    changedSpec: { config: { style: 'concise' } },
    world: agentsWorld(agentController),
    dependency: objectDependency(kindRef(agentProvider), 'provider', {
      spec: { binary: '/bin/sh' },
      status: {
        conditions: [
          {
            type: 'Ready',
            status: 'True',
            reason: 'Valid',
            message: '',
            lastTransitionTime: '2026-01-01T00:00:00Z',
          },
        ],
      },
    }),
  },
  {
    kind: implementationSpec,
    spec: { text: 'Greet the reader.', vcsRef: { name: 'service' } },
    changedSpec: { text: 'Greet all readers.' },
    world: agentsWorld(implementationSpecController),
    dependency: objectDependency(kindRef(versionControlProvider), 'service', {
      spec: { provider: 'generic' },
    }),
  },
  {
    kind: implementationSource,
    spec: { provider: 'github', auth: { secretRef }, webhook: { enabled: true } },
    changedSpec: { scope: { labels: ['agent'] } },
    world: agentsWorld(implementationSourceController),
    dependency: secret,
  },
  {
    kind: versionControlProvider,
    spec: { provider: 'github', auth: { token: { secretRef } } },
    changedSpec: { sshUser: 'git' },
    world: agentsWorld(versionControlProviderController),
    dependency: secret,
  },
  {
    kind: memory,
    spec: { type: 'custom', connection: { secretRef } },
    changedSpec: { default: true },
    world: agentsWorld(memoryController),
    dependency: secret,
  },
]
