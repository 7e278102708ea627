import type { Scenario } from '../scenario.ts'

export const createSimple: Scenario = {
  name: 'create-simple',
  steps: [
    'create namespace $NS-more -o yaml',
    'create namespace $NS-more',
    'create namespace Not_A_Name',
    'create configmap settings --from-literal=colour=blue --from-literal=size=7 -o yaml',
    'create configmap settings --from-literal=colour=red',
    'create configmap dry --from-literal=colour=red --dry-run=server -o yaml',
    'get configmap dry',
    'create secret generic login --from-literal=user=someone --from-literal=password=x -o yaml',
    'create secret docker-registry pull --docker-server=registry.example.dev --docker-username=u --docker-password=p',
    'get secret pull -o jsonpath={.type}',
    'create serviceaccount worker -o yaml',
    'create quota limits --hard=cpu=1,memory=1Gi,pods=2,secrets=10 -o yaml',
    'create priorityclass $NS-high --value=1000 --description=urgent -o yaml',
    'create priorityclass $NS-high --value=1000',
    'create poddisruptionbudget guard --selector=app=web --min-available=50% -o yaml',
    'create poddisruptionbudget both --selector=app=web --min-available=1 --max-unavailable=1',
    'get configmaps,secrets,serviceaccounts,quota,pdb',
    'get priorityclass $NS-high',
    'delete namespace $NS-more --wait=false',
    'delete priorityclass $NS-high',
  ],
}

const certificate = `-----BEGIN CERTIFICATE-----
MIIBdDCCARugAwIBAgIUeOlYNb6iGXqCY0QcKxxw0LcUSdUwCgYIKoZIzj0EAwIw
-----END CERTIFICATE-----
`

export const createTls: Scenario = {
  name: 'create-tls',
  steps: [
    {
      command: 'create -f - -o yaml',
      stdin: JSON.stringify({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'pair' },
        type: 'kubernetes.io/tls',
        stringData: { 'tls.crt': certificate, 'tls.key': 'k' },
      }),
    },
    {
      command: 'create -f -',
      stdin: JSON.stringify({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'half' },
        type: 'kubernetes.io/tls',
        stringData: { 'tls.crt': certificate },
      }),
    },
    'create secret tls signed --cert=tls.crt --key=tls.key -o yaml',
    'create secret tls signed --cert=tls.crt --key=tls.key',
    'create secret tls mixed --cert=tls.key --key=tls.crt',
    'create secret tls dry --cert=tls.crt --key=tls.key --dry-run=server -o jsonpath={.type}',
    'get secrets',
    { command: 'describe secret pair', unordered: true },
  ],
}

export const createAccess: Scenario = {
  name: 'create-access',
  steps: [
    'create role reader --verb=get,list,watch --resource=pods,pods/log --resource-name=a -o yaml',
    'create role deployer --verb=* --resource=deployments.apps,jobs.batch -o yaml',
    'create role bad --verb=get --resource=nothings',
    'create rolebinding readers --role=reader --user=visitor --serviceaccount=$NS:default --group=visitors -o yaml',
    'create rolebinding readers --role=reader --user=visitor',
    'create clusterrole $NS-all --verb=get --resource=nodes --non-resource-url=/healthz -o yaml',
    'create clusterrole $NS-sum --aggregation-rule=a=b -o yaml',
    'create clusterrolebinding $NS-all --clusterrole=$NS-all --user=visitor -o yaml',
    'get roles,rolebindings -o wide',
    'get clusterrole/$NS-all clusterrolebinding/$NS-all',
    'describe role reader',
    'describe rolebinding readers',
    'describe clusterrole $NS-all',
    'delete clusterrole/$NS-all clusterrole/$NS-sum clusterrolebinding/$NS-all',
  ],
}

export const createWorkloads: Scenario = {
  name: 'create-workloads',
  steps: [
    'create deployment web --image=registry.example.dev/web:1 --replicas=2 --port=8080 -o yaml',
    'create job once --image=registry.example.dev/tool:1 -o yaml -- echo hello',
    'create cronjob hourly --image=registry.example.dev/tool:1 --schedule="0 * * * *" -o yaml -- echo hello',
    'create cronjob never --image=i --schedule=whenever',
    'create job again --from=cronjob/hourly -o yaml',
    'run alone --image=registry.example.dev/tool:1 --env=A=1 --labels=app=alone -o yaml',
    'run shown --image=registry.example.dev/tool:1 --restart=Never --dry-run=server -o yaml',
    'get deployments,jobs,cronjobs,pods',
    'get deployments,cronjobs,pods -o wide',
    'describe deployment web',
    'describe cronjob hourly',
    'describe pod alone',
    'autoscale deployment web --min=1 --max=5 --cpu-percent=70',
    'get hpa',
    'get hpa web -o yaml',
    'expose deployment web --port=80 --target-port=8080 -o yaml',
    'get services,all',
    'describe service web',
    'delete deployment/web job/once job/again cronjob/hourly pod/alone service/web hpa/web',
  ],
}

export const createNetwork: Scenario = {
  name: 'create-network',
  steps: [
    'create service clusterip inside --tcp=80:8080 -o yaml',
    'create service clusterip headless --clusterip=None -o yaml',
    'create service nodeport outside --tcp=80:8080 -o yaml',
    'create service externalname elsewhere --external-name=example.dev -o yaml',
    'create service loadbalancer front --tcp=443 -o yaml',
    'create service clusterip inside --tcp=80',
    'create service clusterip bad --clusterip=300.1.1.1 --tcp=80',
    'create ingress entry --rule=example.dev/shop*=inside:80,tls=pair --class=any --annotation=a=b -o yaml',
    'create ingress default-only --default-backend=inside:80',
    'get services,ingress',
    'get services -o wide',
    'describe ingress entry',
    'describe service outside',
    'get endpointslices',
  ],
}
