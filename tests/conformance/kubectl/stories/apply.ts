import { differences } from '../differences.ts'
import type { Scenario } from '../scenario.ts'
import { managers } from './managers.ts'
import { configMap, deployment, widget, widgetDefinition, widgetList } from './manifests.ts'

export const applyClientSide: Scenario = {
  name: 'apply-client-side',
  steps: [
    { command: 'apply -f -', stdin: deployment('web:1') },
    { command: 'apply -f -', stdin: deployment('web:1') },
    { command: 'diff -f -', stdin: deployment('web:1') },
    { command: 'diff -f -', stdin: deployment('web:2', 3) },
    { command: 'apply -f - -o yaml', stdin: deployment('web:2', 3) },
    { command: 'apply -f - --dry-run=server', stdin: deployment('web:3') },
    { command: 'apply view-last-applied deployment/web' },
    { command: 'apply -f -', stdin: deployment('web:2').replace('replicas: 2', 'replicas: many') },
    { command: 'apply -f -', stdin: deployment('web:2').replace('replicas', 'replicass') },
    {
      command: 'apply -f - --validate=warn',
      stdin: deployment('web:4').replace('ports', 'portss'),
    },
    { command: 'apply -f -', stdin: deployment('web:5').replaceAll('{app: web}', '{app: shop}') },
    'get deployment web -o yaml',
    managers('deployment web'),
    { command: 'apply -f - --prune -l app=web', stdin: configMap({ a: '1' }) },
    { command: 'get deployments,configmaps' },
    'delete configmap settings --ignore-not-found',
  ],
}

export const applyServerSide: Scenario = {
  name: 'apply-server-side',
  steps: [
    { command: 'apply --server-side -f -', stdin: deployment('web:1') },
    { command: 'apply --server-side -f - -o yaml', stdin: deployment('web:1') },
    { command: 'apply --server-side -f - --field-manager=other', stdin: deployment('web:2', 3) },
    {
      command: 'apply --server-side -f - --field-manager=other --force-conflicts',
      stdin: deployment('web:2', 3),
    },
    { command: 'apply --server-side -f -', stdin: deployment('web:1') },
    { command: 'diff --server-side -f -', stdin: deployment('web:2', 3) },
    {
      command: 'diff --server-side --force-conflicts -f -',
      stdin: deployment('web:7', 3),
    },
    'scale deployment web --replicas=5',
    { command: 'apply --server-side -f -', stdin: deployment('web:2', 3) },
    'get deployment web -o yaml',
    managers('deployment web'),
    { command: 'apply --server-side -f -', stdin: deployment('web:2').replace('image', 'imagee') },
    {
      command: 'apply --server-side -f -',
      stdin: deployment('web:2').replace('replicas: 2', 'replicas: two'),
    },
  ],
}

export const applyMigration: Scenario = {
  name: 'apply-migration',
  steps: [
    { command: 'apply -f -', stdin: deployment('web:1') },
    { command: 'apply --server-side -f -', stdin: deployment('web:2') },
    'get deployment web -o yaml',
    managers('deployment web'),
    { command: 'apply -f -', stdin: deployment('web:3') },
    { command: 'apply --server-side -f -', stdin: deployment('web:3') },
    // The real server increments the generation here although the spec is unchanged.
    'get deployment web -o jsonpath={.spec}',
    managers('deployment web'),
    { command: 'apply -f -', stdin: configMap({ a: '1', b: '2' }) },
    { command: 'apply --server-side -f -', stdin: configMap({ a: '1' }) },
    'get configmap settings -o yaml',
    managers('configmap settings'),
  ],
}

export const customResources: Scenario = {
  name: 'custom',
  steps: [
    { command: 'apply -f -', stdin: widgetDefinition('$NS.example.dev') },
    'wait --for=condition=Established crd/widgets.$NS.example.dev --timeout=120s',
    { command: 'apply -f -', stdin: widget('$NS.example.dev', { size: 'small', note: 'one' }) },
    { command: 'apply -f -', stdin: widget('$NS.example.dev', { size: 'small', note: 'one' }) },
    { command: 'apply -f -', stdin: widget('$NS.example.dev', { size: 'large' }) },
    { command: 'apply -f -', stdin: widget('$NS.example.dev', { size: 'huge' }) },
    { command: 'apply -f -', stdin: widget('$NS.example.dev', { size: 'large', colour: 'red' }) },
    {
      command: 'apply -f -',
      stdin: widget('$NS.example.dev', { note: 'x'.repeat(30), replicas: -1 }),
    },
    { command: 'create -f -', stdin: widget('$NS.example.dev', { size: 'large' }) },
    { command: 'replace -f -', stdin: widget('$NS.example.dev', { size: 'small', replicas: 3 }) },
    'get widgets.$NS.example.dev',
    'get widgets.$NS.example.dev first -o wide',
    'get widgets.$NS.example.dev first -o yaml',
    managers('widgets.$NS.example.dev first'),
    'get widgets.v1.$NS.example.dev -o custom-columns=N:.metadata.name,S:.spec.size',
    'describe widgets.$NS.example.dev first',
    'scale widgets.$NS.example.dev first --replicas=4',
    'scale widgets.$NS.example.dev first --replicas=5 --current-replicas=9',
    `patch widgets.$NS.example.dev first --type=merge -p '{"spec":{"note":"two"}}'`,
    `patch widgets.$NS.example.dev first -p '{"spec":{"note":"two"}}'`,
    `patch widgets.$NS.example.dev first --subresource=status --type=merge -p '{"status":{"replicas":4}}'`,
    `get widgets.$NS.example.dev first --subresource=status -o jsonpath={.status}`,
    { command: 'diff -f -', stdin: widget('$NS.example.dev', { size: 'large', note: 'other' }) },
    { command: 'apply --server-side -f -', stdin: widget('$NS.example.dev', { size: 'large' }) },
    { command: 'explain widgets --api-version=$NS.example.dev/v1', except: differences.prose },
    'explain widgets.spec --api-version=$NS.example.dev/v1',
    'explain widgets --recursive --api-version=$NS.example.dev/v1',
    'api-resources --api-group=$NS.example.dev',
    'get crd widgets.$NS.example.dev -o yaml',
    { command: 'apply -f -', stdin: widgetList('$NS.example.dev', { size: 'small' }) },
    { command: 'apply -f -', stdin: widgetList('$NS.example.dev', { sise: 'small' }) },
    { command: 'replace -f -', stdinFrom: 'get widgets.$NS.example.dev -o yaml' },
    'delete widgets.$NS.example.dev first',
    'delete crd widgets.$NS.example.dev',
    'get widgets.$NS.example.dev',
  ],
}
