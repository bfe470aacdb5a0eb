describe('a process without tests', () => {});
