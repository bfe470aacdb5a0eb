describe('a process', () => {
  it('aborts', () => process.kill(process.pid, 'SIGKILL'));
});
