// SPDX-License-Identifier: UNLICENSED
pragma solidity >=0.6.2 <0.9.0;

// Tests of the contract `Savings`, made by `tranquera tests` from runs that were confirmed: calls with the values
// with which they lead from state to state. After each call, whatever the state forbids has to revert, whoever calls it.
// What is refused for one reason alone shows that this reason is not forgotten.
//
// They need forge-std: put this file into `test/`, and run `forge test`.

import {Test} from "forge-std/Test.sol";
import "savings.sol";

contract SavingsTest is Test {
    Savings private subject;

    // Somebody who calls, or is named. Number 0 has nothing to do with the contract.
    function person(uint160 number) private pure returns (address payable) {
        return payable(address(0xA11CE000 + number));
    }

    // Covers
    //     Savings(nat, nat) -> S2
    //     S2 -deposit-> S2
    //     S2 -tick-> S3
    //     S3 -withdraw-> S1
    function test_1_withdraw() public {
        // 1. Savings(duration = 1, msg_sender = 1, block_timestamp_now = 2) -> S2 { deposit, tick }
        vm.warp(2);
        vm.prank(person(1));
        subject = new Savings(1);
        for (uint160 i = 0; i < 3; i++) {
            vm.prank(person(i));
            vm.expectRevert();
            subject.withdraw(1);
        }
        // refuses deposit(msg_value = 0): it needs msg_value > 0
        vm.expectRevert();
        subject.deposit();
        // 2. deposit(msg_value = 1) -> S2 { deposit, tick }
        vm.deal(address(this), 1);
        subject.deposit{value: 1}();
        for (uint160 i = 0; i < 3; i++) {
            vm.prank(person(i));
            vm.expectRevert();
            subject.withdraw(1);
        }
        // refuses withdraw(amount = 1, msg_sender = 1): it needs block_timestamp >= until
        vm.prank(person(1));
        vm.expectRevert();
        subject.withdraw(1);
        // 3. tick() -> S3 { withdraw, tick }
        vm.warp(3);
        for (uint160 i = 0; i < 3; i++) {
            vm.deal(address(this), 1);
            vm.expectRevert();
            subject.deposit{value: 1}();
        }
        // refuses deposit(msg_value = 1): it needs block_timestamp < until
        vm.deal(address(this), 1);
        vm.expectRevert();
        subject.deposit{value: 1}();
        // refuses withdraw(amount = 0, msg_sender = 1): it needs amount > 0
        vm.prank(person(1));
        vm.expectRevert();
        subject.withdraw(0);
        // refuses withdraw(amount = 1, msg_sender = 2): it needs msg_sender == owner
        vm.prank(person(2));
        vm.expectRevert();
        subject.withdraw(1);
        // refuses withdraw(amount = 2, msg_sender = 1): it needs balance >= amount
        vm.prank(person(1));
        vm.expectRevert();
        subject.withdraw(2);
        // 4. withdraw(amount = 1, msg_sender = 1) -> S1 { tick }
        vm.prank(person(1));
        subject.withdraw(1);
        for (uint160 i = 0; i < 3; i++) {
            vm.deal(address(this), 1);
            vm.expectRevert();
            subject.deposit{value: 1}();
            vm.prank(person(i));
            vm.expectRevert();
            subject.withdraw(1);
        }
    }

    // Covers
    //     Savings(nat, nat) -> S1
    //     S1 -tick-> S1
    function test_2_tick() public {
        // 1. Savings(duration = 0, msg_sender = 1, block_timestamp_now = 2) -> S1 { tick }
        vm.warp(2);
        vm.prank(person(1));
        subject = new Savings(0);
        for (uint160 i = 0; i < 2; i++) {
            vm.deal(address(this), 1);
            vm.expectRevert();
            subject.deposit{value: 1}();
            vm.prank(person(i));
            vm.expectRevert();
            subject.withdraw(1);
        }
        // 2. tick() -> S1 { tick }
        vm.warp(3);
        for (uint160 i = 0; i < 2; i++) {
            vm.deal(address(this), 1);
            vm.expectRevert();
            subject.deposit{value: 1}();
            vm.prank(person(i));
            vm.expectRevert();
            subject.withdraw(1);
        }
    }

    // Covers
    //     S2 -tick-> S1
    function test_3_tick() public {
        // 1. Savings(duration = 1, msg_sender = 1, block_timestamp_now = 2) -> S2 { deposit, tick }
        vm.warp(2);
        vm.prank(person(1));
        subject = new Savings(1);
        for (uint160 i = 0; i < 2; i++) {
            vm.prank(person(i));
            vm.expectRevert();
            subject.withdraw(1);
        }
        // 2. tick() -> S1 { tick }
        vm.warp(3);
        for (uint160 i = 0; i < 2; i++) {
            vm.deal(address(this), 1);
            vm.expectRevert();
            subject.deposit{value: 1}();
            vm.prank(person(i));
            vm.expectRevert();
            subject.withdraw(1);
        }
    }

    // Covers
    //     S2 -tick-> S2
    function test_4_tick() public {
        // 1. Savings(duration = 2, msg_sender = 1, block_timestamp_now = 2) -> S2 { deposit, tick }
        vm.warp(2);
        vm.prank(person(1));
        subject = new Savings(2);
        for (uint160 i = 0; i < 2; i++) {
            vm.prank(person(i));
            vm.expectRevert();
            subject.withdraw(1);
        }
        // 2. tick() -> S2 { deposit, tick }
        vm.warp(3);
        for (uint160 i = 0; i < 2; i++) {
            vm.prank(person(i));
            vm.expectRevert();
            subject.withdraw(1);
        }
    }

    // Covers
    //     S3 -withdraw-> S3
    function test_5_withdraw() public {
        // 1. Savings(duration = 1, msg_sender = 1, block_timestamp_now = 2) -> S2 { deposit, tick }
        vm.warp(2);
        vm.prank(person(1));
        subject = new Savings(1);
        for (uint160 i = 0; i < 2; i++) {
            vm.prank(person(i));
            vm.expectRevert();
            subject.withdraw(1);
        }
        // 2. deposit(msg_value = 2) -> S2 { deposit, tick }
        vm.deal(address(this), 2);
        subject.deposit{value: 2}();
        for (uint160 i = 0; i < 2; i++) {
            vm.prank(person(i));
            vm.expectRevert();
            subject.withdraw(1);
        }
        // 3. tick() -> S3 { withdraw, tick }
        vm.warp(3);
        for (uint160 i = 0; i < 2; i++) {
            vm.deal(address(this), 2);
            vm.expectRevert();
            subject.deposit{value: 2}();
        }
        // 4. withdraw(amount = 1, msg_sender = 1) -> S3 { withdraw, tick }
        vm.prank(person(1));
        subject.withdraw(1);
        for (uint160 i = 0; i < 2; i++) {
            vm.deal(address(this), 2);
            vm.expectRevert();
            subject.deposit{value: 2}();
        }
    }

    // Covers
    //     S3 -tick-> S3
    function test_6_tick() public {
        // 1. Savings(duration = 1, msg_sender = 1, block_timestamp_now = 2) -> S2 { deposit, tick }
        vm.warp(2);
        vm.prank(person(1));
        subject = new Savings(1);
        for (uint160 i = 0; i < 2; i++) {
            vm.prank(person(i));
            vm.expectRevert();
            subject.withdraw(1);
        }
        // 2. deposit(msg_value = 1) -> S2 { deposit, tick }
        vm.deal(address(this), 1);
        subject.deposit{value: 1}();
        for (uint160 i = 0; i < 2; i++) {
            vm.prank(person(i));
            vm.expectRevert();
            subject.withdraw(1);
        }
        // 3. tick() -> S3 { withdraw, tick }
        vm.warp(3);
        for (uint160 i = 0; i < 2; i++) {
            vm.deal(address(this), 1);
            vm.expectRevert();
            subject.deposit{value: 1}();
        }
        // 4. tick() -> S3 { withdraw, tick }
        vm.warp(18446744073709551614);
        for (uint160 i = 0; i < 2; i++) {
            vm.deal(address(this), 1);
            vm.expectRevert();
            subject.deposit{value: 1}();
        }
    }
}

// covered: 10 edges
// not covered: none
