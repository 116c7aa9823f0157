// SPDX-License-Identifier: MIT
pragma solidity >=0.6.2 <0.9.0;

/// As much of forge-std as the tests need that `tranquera tests --format foundry` makes.
interface Vm {
    function warp(uint256 timestamp) external;
    function roll(uint256 number) external;
    function deal(address account, uint256 balance) external;
    function prank(address sender) external;
    function prank(address sender, address origin) external;
    function etch(address account, bytes calldata code) external;
    function expectRevert() external;
}

abstract contract Test {
    Vm internal constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));
}
