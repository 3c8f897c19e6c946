import assert from 'node:assert/strict';
import { reportText } from '../../../src/editor/restoreReport.ts';
import { World, project } from '../../twins/world.ts';

describe('the report of a restore', () => {
  it('names the folders that it removed and made, and those that have their permissions again', async () => {
    const world = await World.make({ 'd/x': '0' });
    world.memory.folder(`${project}/gone`);
    const agent = world.open();
    await agent.openTurn('t-1');
    await agent.shell('t-1', memory => {
      memory.removeDirectory(`${project}/gone`);
      memory.folder(`${project}/new`);
      memory.setMode(`${project}/d`, 0o777);
    });
    const result = await agent.rewind('t-1');
    const lines = result.kind === 'applied' ? reportText(agent.store, result.operation, undefined, () => undefined)?.split('\n') : [];
    assert.deepEqual(lines?.slice(-5), ['', 'folder removed new', 'folder made    gone', 'permissions    d  (folder, 755 again)', '']);
  });
});
