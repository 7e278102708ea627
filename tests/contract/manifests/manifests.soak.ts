import { testManifests } from './manifests.ts'

testManifests(150_000)
