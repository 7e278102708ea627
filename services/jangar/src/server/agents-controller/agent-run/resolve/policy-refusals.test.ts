import type { KubeObject } from '@agents/kube'
import { describe } from 'vitest'
import { testRefusals } from './testing/refusal.ts'
import { agent, keys, objectOf, runOf, workflow } from './testing/resolution-fixture.ts'

function configured(config: Record<string, unknown>) {
  return runOf({ runtime: { type: 'job', config } })
}

const tokenSecret = {
  ...keys('Secret', 'stolen', 'token'),
  type: 'kubernetes.io/service-account-token',
  metadata: {
    name: 'stolen',
    namespace: 'team',
    annotations: { 'kubernetes.io/service-account.name': 'agents-controllers' },
  },
} as KubeObject

describe('a run is refused by policy', () => {
  testRefusals({
    MissingWorkloadImage: [
      {
        because: 'no image is specified',
        env: { JANGAR_AGENT_RUNNER_IMAGE: '' },
        says: /workload\.image/,
      },
    ],
    ImageBlocked: [
      {
        because: 'the platform denies the image, although it also allows it',
        run: runOf({ workload: { image: 'evil/x:1' } }),
        env: {
          JANGAR_AGENTS_CONTROLLER_IMAGES_DENIED: 'evil/*',
          JANGAR_AGENTS_CONTROLLER_IMAGES_ALLOWED: '*',
        },
        says: /evil\/x:1/,
      },
    ],
    ImageNotAllowed: [
      {
        because: 'the platform allows only other images',
        run: runOf(workflow({ name: 's', workload: { image: 'other/x:1' } })),
        env: { JANGAR_AGENTS_CONTROLLER_IMAGES_ALLOWED: '["good/*"]' },
        says: /other\/x:1.*good\/\*/,
      },
    ],
    InvalidRuntimeConfig: [
      ...(
        [
          ['runAsUser', 0],
          ['runAsUser', '0'],
          ['runAsUser', null],
          ['runAsUser', 1.5],
          ['runAsUser', -1],
          ['runAsUser', 2 ** 31],
          ['runAsUser', 65_533],
          ['runAsUser', 65_531],
          ['runAsGroup', 65_533],
          ['fsGroup', 65_531],
          ['supplementalGroups', [7, 65_533]],
          ['runAsGroup', 0],
          ['runAsGroup', null],
          ['fsGroup', 0],
          ['fsGroup', '65532'],
          ['supplementalGroups', [0]],
          ['supplementalGroups', null],
          ['supplementalGroups', {}],
          ['supplementalGroups', ['7']],
          ['runAsNonRoot', false],
          ['runAsNonRoot', null],
          ['runAsNonRoot', 'true'],
          ['seccompProfile', null],
          ['seccompProfile', {}],
          ['seccompProfile', []],
          ['seccompProfile', 'RuntimeDefault'],
          ['seccompProfile', { type: null }],
          ['seccompProfile', { type: 'Unconfined' }],
          ['seccompProfile', { type: 'unconfined' }],
          ['seccompProfile', { type: 'Localhost' }],
          ['seccompProfile', { type: 'Localhost', localhostProfile: '../x' }],
          ['seccompProfile', { type: 'RuntimeDefault', localhostProfile: null }],
          ['fsGroupChangePolicy', ''],
          ['supplementalGroupsPolicy', null],
          ['sysctls', []],
          ['sysctls', null],
          ['appArmorProfile', { type: 'Unconfined' }],
          ['seLinuxOptions', {}],
          ['windowsOptions', null],
          ['RunAsUser', 5],
          ['__proto__', { runAsUser: 0 }],
        ] as const
      ).map(([field, value]) => ({
        because: `podSecurityContext.${field} is ${JSON.stringify(value)}`,
        run: configured({ podSecurityContext: Object.fromEntries([[field, value]]) }),
        says: new RegExp(`runtime\\.config\\.podSecurityContext\\.${field} must be`),
      })),
      ...[null, [], 'restricted', 0].map((value) => ({
        because: `podSecurityContext is ${JSON.stringify(value)}`,
        run: configured({ podSecurityContext: value }),
        says: /runtime\.config\.podSecurityContext must be an object/,
      })),
      {
        because: 'a setting is unknown',
        run: configured({ serviceAccountName: 'agents-controllers' }),
        says: /runtime\.config\.serviceAccountName is not supported; use one of serviceAccount, /,
      },
      {
        because: 'a setting has the name of a property that every object inherits',
        run: configured({ constructor: {} }),
        says: /runtime\.config\.constructor is not supported/,
      },
      {
        because: 'a setting is null',
        run: configured({ serviceAccount: null }),
        says: /runtime\.config\.serviceAccount must be a string that is not empty/,
      },
      ...(
        [
          ['nodeSelector', { disk: 1 }, 'nodeSelector\\.disk must be a string'],
          ['nodeSelector', ['ssd'], 'nodeSelector must be an object'],
          ['tolerations', [{ key: 'a' }, 'b'], 'tolerations\\[1\\] must be an object'],
          ['tolerations', { key: 'a' }, 'tolerations must be a list'],
          ['affinity', [], 'affinity must be an object'],
          ['imagePullSecrets', ['a', {}], 'imagePullSecrets\\[1\\] must be a name or {name: NAME}'],
          ['imagePullSecrets', [''], 'imagePullSecrets\\[0\\] must be a name or {name: NAME}'],
          ['automountServiceAccountToken', 'false', 'automountServiceAccountToken must be true or'],
          ['backoffLimit', 2 ** 31, 'backoffLimit must be a whole number from 0 to 2147483647'],
          ['ttlSecondsAfterFinished', 0.5, 'ttlSecondsAfterFinished must be a whole number from 0'],
        ] as const
      ).map(([setting, value, problem]) => ({
        because: `${setting} is ${JSON.stringify(value)}`,
        run: configured({ [setting]: value }),
        says: new RegExp(`runtime\\.config\\.${problem}`),
      })),
      {
        because: 'it tolerates every taint',
        run: configured({ tolerations: [{ operator: 'Exists' }] }),
        says: /runtime\.config\.tolerations\[0\] tolerates every taint/,
      },
      {
        because: 'it would run on the control plane',
        run: configured({ tolerations: [{ key: 'node-role.kubernetes.io/control-plane' }] }),
        says: /tolerations\[0\] would run the pod on a node of the control plane/,
      },
      {
        because: 'a setting has the wrong type',
        run: runOf({ runtime: { type: 'job', config: { backoffLimit: -1 } } }),
        says: /runtime\.config\.backoffLimit must be a whole number/,
      },
      {
        because: 'a quantity is invalid',
        run: runOf({ workload: { resources: { limits: { memory: 'lots' } } } }),
        says: /limits\.memory is lots/,
      },
      {
        because: 'a volume of type secret has no secretName',
        run: runOf({ workload: { volumes: [{ type: 'secret', name: 'v', mountPath: '/v' }] } }),
        says: /volumes\[0\] \(v\) lacks secretName/,
      },
      {
        because: 'a volume has an invalid mountPath',
        run: runOf({ workload: { volumes: [{ type: 'emptyDir', name: 'v', mountPath: 'v' }] } }),
        says: /not an absolute path/,
      },
    ],
    SecretBlocked: [
      {
        because: 'a Secret belongs to the platform',
        run: runOf({ secrets: ['agents-database'] }),
        there: [agent({ security: { allowedSecrets: ['agents-database'] } })],
        env: { JANGAR_AGENTS_CONTROLLER_PLATFORM_SECRETS: 'agents-database' },
        says: /Secret agents-database, listed in secrets, is blocked by the platform/,
      },
      {
        because: 'a Secret is blocked, although the agent allows it',
        run: runOf({ secrets: ['root'] }),
        there: [agent({ security: { allowedSecrets: ['root'] } })],
        env: { JANGAR_AGENTS_CONTROLLER_BLOCKED_SECRETS: 'root' },
        says: /Secret root, listed in secrets, is blocked by the platform/,
      },
      {
        because: 'a blocked Secret is mounted as a volume',
        run: runOf({
          workload: {
            volumes: [{ type: 'secret', name: 'v', mountPath: '/v', secretName: 'root' }],
          },
        }),
        env: { JANGAR_AGENTS_CONTROLLER_BLOCKED_SECRETS: 'root' },
        says: /mounted as volume v/,
      },
    ],
    SecretNotAllowed: [
      {
        because: 'the agent does not allow the Secret',
        run: runOf({ secrets: ['other'] }),
        there: [agent({ security: { allowedSecrets: ['mine'] } })],
        says: /allowedSecrets of Agent coder/,
      },
      {
        because: 'the system prompt is in a Secret that the agent does not allow',
        run: runOf({ systemPromptRef: { kind: 'Secret', name: 'p', key: 'k' } }),
        there: [agent({ security: { allowedSecrets: ['mine'] } })],
        says: /Secret p, which contains the system prompt/,
      },
      {
        because: 'the memory of the run uses a Secret that the agent does not allow',
        run: runOf({ memoryRef: { name: 'm' } }),
        there: [
          agent({ security: { allowedSecrets: ['mine'] } }),
          objectOf('Memory', 'm', { type: 'redis', connection: { secretRef: { name: 'c' } } }),
        ],
        says: /Secret c, which contains the connection string of Memory m/,
      },
      {
        because: 'the agent does not allow the credentials of the platform',
        there: [agent({ security: { allowedSecrets: ['mine'] } })],
        env: { JANGAR_AGENTS_CONTROLLER_AUTH_SECRET_NAME: 'auth' },
        says: /Secret auth, which the platform mounts into every run/,
      },
    ],
    ServiceAccountNotAllowed: [
      {
        because: 'the agent does not allow the account default',
        there: [agent({ security: { allowedServiceAccounts: ['builder'] } })],
        says: /default is not in spec\.security\.allowedServiceAccounts .*builder/,
      },
      {
        because: 'the run specifies an account that the agent does not allow',
        run: configured({ serviceAccount: 'root' }),
        there: [agent({ security: { allowedServiceAccounts: ['builder'] } })],
        env: { JANGAR_AGENTS_CONTROLLER_SERVICE_ACCOUNTS_ALLOWED: '*' },
        says: /root is not in spec\.security\.allowedServiceAccounts/,
      },
      {
        because: "the account is not in the platform's list",
        run: configured({ serviceAccount: 'builder' }),
        env: { JANGAR_AGENTS_CONTROLLER_SERVICE_ACCOUNTS_ALLOWED: 'runner,deployer' },
        says: /does not allow the service account builder/,
      },
      {
        because: 'the platform allows no accounts',
        run: configured({ serviceAccount: 'builder' }),
        there: [agent({ security: { allowedServiceAccounts: ['builder'] } })],
        says: /JANGAR_AGENTS_CONTROLLER_SERVICE_ACCOUNTS_ALLOWED/,
      },
      {
        because: 'the account belongs to a process of the platform, although lists allow it',
        run: configured({ serviceAccount: 'agents-controllers' }),
        there: [agent({ security: { allowedServiceAccounts: ['agents-controllers'] } })],
        env: { JANGAR_AGENTS_CONTROLLER_SERVICE_ACCOUNTS_ALLOWED: '*' },
        says: /agents-controllers belongs to the platform's own processes/,
      },
      {
        because: "the platform's default account belongs to a process of the platform",
        env: { JANGAR_AGENT_RUNNER_SERVICE_ACCOUNT: 'agents-controllers' },
        says: /agents-controllers belongs to the platform's own processes/,
      },
      {
        because: 'mounting the token of the account default requires permission',
        run: configured({ automountServiceAccountToken: true }),
        says: /token of the service account default/,
      },
      {
        because: 'a workflow specifies the account',
        run: runOf({
          ...workflow({ name: 'a' }),
          runtime: { type: 'workflow', config: { serviceAccount: 'agents-controllers' } },
        }),
        says: /belongs to the platform's own processes/,
      },
      ...[
        { secrets: ['stolen'] },
        { systemPromptRef: { kind: 'Secret', name: 'stolen', key: 'token' } },
        {
          workload: {
            volumes: [{ type: 'secret', name: 'v', mountPath: '/v', secretName: 'stolen' }],
          },
        },
      ].map((spec) => ({
        because: `a Secret that holds the token of an account is used by ${Object.keys(spec)}`,
        run: runOf(spec),
        there: [tokenSecret],
        env: { JANGAR_AGENTS_CONTROLLER_SERVICE_ACCOUNTS_ALLOWED: '*' },
        says: /Secret stolen contains a service account token: .*agents-controllers belongs/,
      })),
    ],
    PriorityClassNotAllowed: [
      {
        because: 'the platform allows no priority classes',
        run: configured({ priorityClassName: 'urgent' }),
        says: /JANGAR_AGENTS_CONTROLLER_PRIORITY_CLASSES_ALLOWED/,
      },
      {
        because: 'no list can allow the classes of the cluster itself',
        run: configured({ priorityClassName: 'system-node-critical' }),
        env: { JANGAR_AGENTS_CONTROLLER_PRIORITY_CLASSES_ALLOWED: '*,system-node-critical' },
        says: /reserved for the cluster/,
      },
    ],
    ClaimNotAllowed: [
      {
        because: 'the platform allows only other claims',
        run: runOf({
          workload: { volumes: [{ type: 'pvc', name: 'v', mountPath: '/v', claimName: 'theirs' }] },
        }),
        env: { JANGAR_AGENTS_CONTROLLER_CLAIMS_ALLOWED: 'team-*' },
        says: /PersistentVolumeClaim theirs, only team-\*/,
      },
    ],
  })
})
