import { differences } from '../differences.ts'
import type { Scenario } from '../scenario.ts'
import { managers } from './managers.ts'
import { configMap, deployment } from './manifests.ts'

export const patching: Scenario = {
  name: 'patching',
  steps: [
    { command: 'create -f -', stdin: deployment('web:1') },
    `patch deployment web -p '{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"side:1"}]}}}}'`,
    `patch deployment web --type=merge -p '{"spec":{"replicas":4}}'`,
    `patch deployment web --type=merge -p '{"spec":{"replicas":4}}'`,
    `patch deployment web --type=json -p '[{"op":"replace","path":"/spec/replicas","value":1}]'`,
    `patch deployment web --type=json -p '[{"op":"test","path":"/spec/replicas","value":9}]'`,
    `patch deployment web --type=json -p '[{"op":"remove","path":"/spec/nothing"}]'`,
    `patch deployment web --type=json -p '{"op":"remove"}'`,
    `patch deployment web --type=merge -p '{"spec":{"replicas":-4}}'`,
    {
      command: `patch deployment web --type=merge -p '{"spec":{"replicas":"four"}}'`,
      except: differences.patchedObject,
    },
    `patch deployment web --type=merge -p '{"spec":{"selector":null}}'`,
    `patch deployment web --type=strategic -p '{"spec":{"template":{"spec":{"containers":[{"name":"side","$patch":"delete"}]}}}}'`,
    `patch deployment absent -p '{}'`,
    `patch deployment web --subresource=scale --type=merge -p '{"spec":{"replicas":7}}'`,
    `patch deployment web --subresource=status --type=merge -p '{"status":{"replicas":7}}' -o yaml`,
    `patch deployment web -p '{"spec":{"replicas":8}}' --dry-run=server -o jsonpath={.spec.replicas}`,
    'get deployment web -o yaml',
    managers('deployment web'),
  ],
}

export const labelling: Scenario = {
  name: 'labelling',
  steps: [
    { command: 'create -f -', stdin: configMap({ a: '1' }) },
    'label configmap settings app=web tier=front',
    'label configmap settings app=shop',
    'label configmap settings app=shop --overwrite',
    'label configmap settings tier-',
    'label configmap settings nothing-',
    'label configmap settings app=not/a/value --overwrite',
    'label configmap settings --list',
    'annotate configmap settings note="two words" example.dev/a=b',
    'annotate configmap settings note-',
    'annotate configmap settings Bad!=x',
    'annotate configmap settings example.dev/a=c --resource-version=1 --overwrite',
    'label configmaps --all round=yes',
    'get configmaps -l app=shop --show-labels',
    'get configmaps -l "app in (web,shop),tier notin (x)" -L app',
    'get configmaps -l "app in"',
    'get configmaps --field-selector metadata.name=settings -o name',
    'get configmaps --field-selector data.a=1',
    'get configmap settings -o yaml',
    managers('configmap settings'),
  ],
}

export const editing: Scenario = {
  name: 'editing',
  steps: [
    { command: 'apply -f -', stdin: deployment('web:1') },
    { command: 'edit deployment web', editor: `sed -i 's/replicas: 2/replicas: 3/' "$1"` },
    { command: 'edit deployment web', editor: 'true' },
    {
      command: 'edit deployment web -o name',
      editor: `sed -i 's/image: web:1/image: web:2/' "$1"`,
    },
    { command: 'edit deployment absent', editor: 'true' },
    'get deployment web -o yaml',
    'set image deployment/web main=web:9',
    'set image deployment/web main=web:9',
    'set env deployment/web COLOUR=blue',
    'set resources deployment web --limits=cpu=200m,memory=512Mi',
    'set serviceaccount deployment web worker',
    'set selector service absent a=b',
    'get deployment web -o yaml',
    managers('deployment web'),
    { command: 'replace -f - -o yaml', stdin: deployment('web:4') },
    { command: 'replace -f - ', stdin: deployment('web:4').replaceAll('app: web', 'app: shop') },
    { command: 'replace --force -f -', stdin: deployment('web:5') },
    { command: 'replace -f -', stdin: configMap({ a: 'absent' }) },
  ],
}

export const scaling: Scenario = {
  name: 'scaling',
  steps: [
    { command: 'create -f -', stdin: deployment('web:1') },
    'scale deployment web --replicas=4',
    'scale deployment/web --replicas=5 --current-replicas=4',
    'scale deployment/web --replicas=6 --current-replicas=4',
    'scale deployment absent --replicas=1',
    'scale deployment web --replicas=-1',
    'autoscale deployment web --max=3 --name=auto -o yaml',
    'autoscale deployment web --max=0',
    'rollout history deployment web',
    'rollout restart deployment web',
    'rollout pause deployment web',
    'rollout pause deployment web',
    'rollout restart deployment web',
    'rollout resume deployment web',
    'rollout status deployment web --watch=false',
    'rollout undo deployment web',
    'get deployment web -o jsonpath={.metadata.generation}',
    `patch deployment web --subresource=status --type=merge -p '{"status":{"observedGeneration":99,"replicas":5,"updatedReplicas":5,"availableReplicas":5,"readyReplicas":5}}'`,
    'rollout status deployment web --timeout=60s',
    'get deployment web',
    'delete hpa auto',
  ],
}
